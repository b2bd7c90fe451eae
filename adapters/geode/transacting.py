"""Transactions of Geode: begun and ended on a caller's own Java thread, and held before they commit.

Knows nothing of regions, nor of what is called between begin and end.
"""

# ruff: noqa: N802 - the names are those of org.apache.geode.cache.TransactionWriter

from __future__ import annotations

from typing import Any, ClassVar

from plumbline.adapters.geode.argument import token_of
from plumbline.adapters.geode.jvm import JavaError
from plumbline.adapters.geode.listener import GeodeExample
from plumbline.reference.history.operations import Operation, OperationKind, Outcome, Status

_CONFLICT = "org.apache.geode.cache.CommitConflictException"


def carry_out(manager: Any, operation: Operation) -> Outcome:
    """Begin, commit or roll back on the thread that this is called on, and wait for it.

    Raises GoneError when the JVM died.
    """
    try:
        match operation.kind:
            case OperationKind.TX_BEGIN:
                manager.begin()
            case OperationKind.TX_COMMIT:
                manager.commit()
            case _:
                manager.rollback()
    except JavaError as error:
        thrown = error.java_exception
        conflict = thrown.getClass().getName() == _CONFLICT
        return Outcome(Status.FAILED if conflict else Status.INDEFINITE, detail=thrown.toString())
    return Outcome(Status.OK)


class CommitWriter:
    """A transaction writer of one member, called by the JVM on Geode's own threads."""

    def __init__(self, stage: GeodeExample, member: str) -> None:
        self._stage = stage
        self._member = member

    def beforeCommit(self, event: Any) -> None:
        """A transaction is to be committed: it may have to wait."""
        tokens = []
        for change in event.getEvents().toArray():
            value = change.getNewValue()
            tokens.append(token_of(change.getCallbackArgument()) if value is None else value)
        self._stage.ask_commit(self._member, tokens)

    def close(self) -> None:
        """The cache is closing."""

    class Java:
        """What py4j makes of it in the JVM."""

        implements: ClassVar[list[str]] = ["org.apache.geode.cache.TransactionWriter"]
