"""How long a model takes on a device: rooflines as bounds, and estimates at a stated efficiency."""
