"""The one callback argument that Geode has, where it has to carry two things: a token and the caller's own.

The token names the operation. What the caller gives stands behind it, where anything is given. Knows no JVM.
"""

from __future__ import annotations

from plumbline.reference.history.operations import Operation

_BETWEEN = "\x1d"
"""No token has it, and no argument of the suite."""


def packed(operation: Operation) -> str | None:
    """What a call is given as its callback argument."""
    if operation.argument is None:
        return operation.token
    return f"{operation.token}{_BETWEEN}{operation.argument}"


def token_of(callback_argument: str | None) -> str | None:
    """The token in what an event has as its callback argument."""
    return None if callback_argument is None else callback_argument.partition(_BETWEEN)[0]


def argument_of(callback_argument: str | None) -> str | None:
    """What the caller has given, in the same; None if nothing."""
    return (callback_argument or "").partition(_BETWEEN)[2] or None
