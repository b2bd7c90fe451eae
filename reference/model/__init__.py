"""The reference model: immutable states, atomic steps, machinery without policy.

Each part owns the steps of one thing (callers, replicates, the harness's timeline) and declares for each
step what the search needs to know. No threads, I/O, clock or randomness.
"""
