"""What is right: catalogue, rulebook, model and explain, and the records every other room shares.

Knows nothing of candidates, pytest, reports or Spark; imports nothing else of the project.
"""
