"""Weakenings: changes of model and search that make a claim more often than it may be made, one by one.

Each is a piece of a module's text and what stands there instead, in the module here of what it is about;
`known` names them all. A witness shows that one matters (`witnesses`). Knows the text of the model; nothing
is changed here.
"""
