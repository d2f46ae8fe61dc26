"""Tiny checkpoints whose weights come from a seed, and the outputs that PyTorch's own models gave for them."""
