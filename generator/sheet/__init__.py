"""What every renderer sees: rows with exact costs, at given sizes."""
