"""The workbook of a comparison: live formulas in the sizes of each side, and a live chart."""
