"""The window: the only floor that knows Qt. It talks to the engine through requests and events alone."""
