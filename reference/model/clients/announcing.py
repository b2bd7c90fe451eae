"""Announcing: how often a client's listener is told of what comes to it.

Knows what a message brings; knows nothing of what becomes of the client's copy.
"""

from __future__ import annotations

from plumbline.reference.history.operations import DESTROYS, STORES_VALUE, Operation
from plumbline.reference.model.messages import Message
from plumbline.reference.model.setting import Setting
from plumbline.reference.rulebook.values import each

ONCE = (1,)


def times_told(setting: Setting, holder: str, operation: Operation, head: Message) -> tuple[int, ...]:
    """How often a listener is told of what is applied; a member's, and a client's as documented, once."""
    if holder not in setting.clients or setting.clients_as_documented:
        return ONCE
    book = setting.book
    if setting.originators.get(head.op_id) == holder:
        return each(book.tells_caller())
    if head.bare:
        return each(book.tells_bare())
    if operation.kind in DESTROYS:
        return each(book.tells_destroy())
    return each(book.tells_value()) if operation.kind in STORES_VALUE else ONCE
