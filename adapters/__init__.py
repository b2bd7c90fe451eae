"""Ways to drive a candidate: in-process, as a process, as real Apache Geode.

Knows what can be asked of a candidate, not what its answers should be.
"""
