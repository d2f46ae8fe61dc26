"""The engine for other programs: an HTTP server with OpenAI's interface."""

FIRST_ID = 1 << 40  # of a server's requests, beyond the numbers of any other face of the same engine
