"""Runs the generated module and holds what is measured against what is derived."""
