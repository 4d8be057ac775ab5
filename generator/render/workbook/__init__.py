"""The Excel workbook of one architecture: live formulas in named sizes, with their values stored in the file."""
