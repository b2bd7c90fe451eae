"""Examples to try the search and the rules on: random plans of a shape, and their histories on the reference.

Knows how to draw them, to spoil them, and to have them show less; what is asked of them is told in
`plumbline.ci.selftest.checks` and `plumbline.ci.selftest.benchmarks`.
"""
