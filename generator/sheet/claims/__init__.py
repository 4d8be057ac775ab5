"""Published formulas (the claims of specs), held against the derived ones."""
