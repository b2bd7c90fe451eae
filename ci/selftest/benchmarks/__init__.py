"""Benchmarks: how long explaining, playing and reporting take, and how that grows.

Print ratios and rates; no test fails for a number of seconds.
"""
