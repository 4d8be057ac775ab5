"""Made by `gen build`; do not edit. One PyTorch module, one page and one workbook for each spec."""
