"""A whole grid of sizes: exact values point by point, filtered and sorted, with memory that does not grow with the grid."""
