"""Experts from disk: store (reads), cache (slots and policy), streamer (the lease); traces and their simulator."""
