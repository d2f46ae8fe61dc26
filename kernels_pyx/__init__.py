"""Compiled kernels: arrays in, arrays out; no model words. See csrc/kernels.h for the table and the contracts."""
