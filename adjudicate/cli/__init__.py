"""The command line: one small module per command family; wires store, policy and clock, and decides nothing."""
