"""From a checkpoint to a container: sources of tensors, conversion, the starter model."""
