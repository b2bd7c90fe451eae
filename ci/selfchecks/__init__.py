"""Checks of Plumbline itself: is the search right, are the rules, and what finds out which mistakes.

Know what is compared with what; examples come from `plumbline.ci.examples`, and the command lines are in
`plumbline.ci.commands`.
"""
