"""Use cases, one per file: load, ask the core, save. The command line and the terminal interface both call these."""
