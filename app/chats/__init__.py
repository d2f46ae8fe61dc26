"""Conversations on this disk."""
