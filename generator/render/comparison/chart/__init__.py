"""Pictures of comparisons. matplotlib is imported only here, and only when a picture is drawn."""
