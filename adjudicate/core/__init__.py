"""Rules and records of the field: policy, items, labels, gold, sampling, estimates. Standard library only, no IO, no clock."""
