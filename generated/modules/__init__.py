"""Made by `gen build`; do not edit. One PyTorch module for each spec."""
