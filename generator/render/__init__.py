"""Renderers: each turns a compiled spec into one kind of output and derives nothing itself."""
