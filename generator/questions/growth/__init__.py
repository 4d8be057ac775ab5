"""How costs grow with the sizes, and from which size on one costs less than another. All of it follows from the formulas of sheets."""
