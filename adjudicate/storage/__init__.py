"""The label store: one SQLite file, reached through the `Store` protocol. Nothing outside this package writes SQL."""
