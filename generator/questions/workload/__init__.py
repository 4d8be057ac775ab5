"""What memory and time follow from, as formulas in the sizes: for answers that are worked out elsewhere, such as in a workbook."""
