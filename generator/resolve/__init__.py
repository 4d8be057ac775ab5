"""From a parsed spec to an architecture: names, sizes, shapes and sub-specs bound, errors located."""
