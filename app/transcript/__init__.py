"""The conversation as one text document."""
