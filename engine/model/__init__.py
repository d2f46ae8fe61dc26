"""The blocks of a model, its state and memory plan, and the layer walk from token ids to logits."""
