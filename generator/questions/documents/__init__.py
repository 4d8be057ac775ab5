"""Documents whose formulas are claims of specs: the list of each document's formulas, in its order."""
