"""The catalogue: every requirement, its one home and its one name."""
