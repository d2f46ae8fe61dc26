"""Unattended work: files of requests in OpenAI's batch format, answered one after the other, through kills and restarts."""
