"""Every decision that the documents make, as one function each, and nothing else.

A `Rulebook` is handed to the model; `replace(rulebook, decision=…)` makes a dialect, a faulty variant or a
deviation of it.
"""
