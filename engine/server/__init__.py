"""The engine for other programs: an HTTP server with OpenAI's interface."""
