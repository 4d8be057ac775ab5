"""Times of generated modules beside what their formulas predict. Only `timing` imports torch."""
