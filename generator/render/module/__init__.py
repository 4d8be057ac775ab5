"""The PyTorch module of a spec."""
