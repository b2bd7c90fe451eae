"""The oracle: can the model produce what was seen?

`engine` searches for a run of any model whose steps declare what the search needs; `judge` is the same
question answered without any reduction, kept to judge the engine; the rest turns answers into findings.
"""
