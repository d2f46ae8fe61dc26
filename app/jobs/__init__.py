"""Jobs: work that nobody waits for, while the chat goes first."""
