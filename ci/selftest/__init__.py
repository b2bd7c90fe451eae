"""What tests Plumbline itself: generators, wrong histories, soundness of the search, kills, benchmarks.

Everything may be imported here; nothing outside imports it, and the wheel leaves it out.
"""
