"""The commands of `gen`: one module each, imported only when the command runs."""
