"""Reading specs: text with positions, YAML, expressions, and errors that show where."""
