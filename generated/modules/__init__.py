"""Made by `gen build`; do not edit (content fee7641cde487b4a). One PyTorch module for each spec."""
