"""Devices on which models run: their peak FLOP/s, memory, bandwidth and power, each number with its source."""
