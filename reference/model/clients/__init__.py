"""What clients do: calls by way of a server, interests, what servers send them, and who serves them next.

Parts of the model with atomic steps, like those beside this room; `plumbline.reference.model.system` puts
them together. Policy comes from the rulebook.
"""
