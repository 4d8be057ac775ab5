"""Training on several devices: what the heaviest of them holds, what it sends in a step, and how long a step takes at least."""
