"""Pages for people: one Markdown page a spec, and an index of them, as GitHub renders them."""
