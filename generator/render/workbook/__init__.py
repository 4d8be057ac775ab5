"""The Excel workbook of one architecture: live formulas in named sizes, with their values stored in the file."""

from generator.render.workbook.book import build_workbook

__all__ = ["build_workbook"]
