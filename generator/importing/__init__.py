"""From the configuration of a public model (config.json) to a preset of the spec that stands for it."""
