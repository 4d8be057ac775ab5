"""The incremental build: what is out of date is rendered and written, all else is left alone."""
