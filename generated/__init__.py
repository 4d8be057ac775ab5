"""Made by `gen build`; do not edit (content 0e193515ee40419f). One PyTorch module, one page and one workbook for each spec."""
