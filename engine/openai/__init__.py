"""OpenAI's request and result formats as pure functions: bodies to requests of ours, events to results. For the server and for batches."""
