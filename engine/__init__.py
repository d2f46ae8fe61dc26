"""The engine's public door: one worker, frozen requests down, frozen events up. No Qt below this line."""

__version__ = "0.1.0"
