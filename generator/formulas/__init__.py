"""Exact formulas as text: one dialect a module, all with the same order of terms and factors."""
