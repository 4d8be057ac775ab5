"""Whether a model fits: the bytes of weights, caches, gradients and optimiser states, and of the highest moment of a pass."""
