"""What differs between two specs, two presets of one, or one spec at two revisions."""
