"""Taking sizes back from a workbook that somebody has filled in."""
