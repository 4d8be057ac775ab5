"""The catalogue of operations: one class, one file, one template, one fixture each."""
