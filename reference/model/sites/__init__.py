"""What happens between sites: senders with their queues, receivers, whose update wins, what may be forgotten.

Parts of the model with atomic steps, like those beside this room; `plumbline.reference.model.system` puts
them together. Policy comes from the rulebook.
"""
