"""Rows of times and ratios, measured in one run: `make bench`. No test depends on them."""
