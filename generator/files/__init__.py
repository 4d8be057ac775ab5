"""Files as people give and find them: of any kind, hostile ones too, and sealed outputs."""
