"""Specs side by side: what is compared, at which sizes, and what comes of it."""
