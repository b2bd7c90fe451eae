"""Exploring: every run of the model in a small world, and what holds at the end of each."""
