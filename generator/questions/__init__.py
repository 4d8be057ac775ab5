"""Questions about sheets: how they grow, how they compare, what differs, sweeps of sizes, the formulas of documents."""
