"""Reductions: which steps of the model the search may take alone, one named condition at a time.

Each condition gives the reason why it is needed. Without it the reduction is unsound, and a recorded history
shows that (`ci/tests/test_claims.py`). The exhaustive search on the model alone is the judge of all.
"""
