"""Checks of Plumbline itself: is the search right, are the rules, and what finds out which mistakes.

Know what is compared with what. Examples come from `selftest.generators`; the command lines are in
`selftest.commands`.
"""
