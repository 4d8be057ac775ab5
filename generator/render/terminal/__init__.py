"""What commands print: colours, tables, and the answers of questions as text."""
