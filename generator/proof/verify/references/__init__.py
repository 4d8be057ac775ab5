"""Public implementations of specs: how to build them, and what the generated module must share with them."""
