"""Decisions about what clients register for, and what that drops and loads (001, L50 to L65).

Each function answers one question about plain values. None knows the model's state.
"""

from __future__ import annotations

import re

from plumbline.reference.operations import Interest
from plumbline.reference.rulebook.values import Free

LOADS_NOTHING, LOADS_KEYS, LOADS_VALUES = "none", "keys", "keys_values"
"""What a registration may load: nothing, keys without values, or keys and values."""


def expression_covers(expression: str, key: str) -> bool:
    """Whether an expression covers a key: if it matches the whole of it (001, L63, L65)."""
    return re.fullmatch(expression, key) is not None


def well_formed(expression: str) -> bool:
    """Whether an expression is one at all; as Python reads it, which shares with Java what suites use."""
    try:
        re.compile(expression)
    except (re.error, RecursionError):
        return False
    return True


def accepts_expression(is_one: bool) -> bool:
    """Whether a registration for an expression is accepted: if it is well formed (001, L65)."""
    return is_one


def refusal_keeps_list() -> bool:
    """Whether a registration that is refused leaves the interest list as it was: it does (001, L65)."""
    return True


def interests_kept(earlier: tuple[Interest, ...], new: Interest) -> tuple[Interest, ...]:
    """The interest list after a registration: what was there, and the new one (001, L63)."""
    return (*(one for one in earlier if one != new), new)


def interests_left(earlier: tuple[Interest, ...], withdrawn: Interest) -> tuple[Interest, ...]:
    """The interest list after one was withdrawn: all others (001, L63)."""
    return tuple(
        one for one in earlier if (one.kind, one.specification) != (withdrawn.kind, withdrawn.specification)
    )


def in_force_on_return() -> bool:
    """Whether a registration is in force when its call returns: it is (001, L56, L61)."""
    return True


def outlasts_destroy() -> bool:
    """Whether interest in a key outlasts the destroy of its entry: it does (001, L56, L64)."""
    return True


def dropped_for_keys(covered: tuple[str, ...], held: tuple[str, ...]) -> tuple[str, ...]:  # noqa: ARG001
    """Which keys a client drops as it registers for keys: those it registers for (001, L53 to L54)."""
    return covered


def dropped_for_expression(covered: tuple[str, ...], held: tuple[str, ...]) -> Free:
    """Which keys a client drops as it registers for an expression: those covered, or all (001, L53, L55)."""
    return Free((covered, held))


def drop_is_local() -> bool:
    """Whether dropping keys leaves servers and other clients as they are: it does (001, L53)."""
    return True


def unnamed_loads() -> str:
    """What a registration loads that names no policy: keys and values (001, L59)."""
    return LOADS_VALUES


def keys_load() -> str:
    """What a registration with the policy KEYS loads: keys without values (001, L58)."""
    return LOADS_KEYS


def keys_values_load() -> str:
    """What a registration with the policy KEYS_VALUES loads: keys and values (001, L59)."""
    return LOADS_VALUES


def none_loads() -> str:
    """What a registration with the policy NONE loads: nothing (001, L60)."""
    return LOADS_NOTHING


def none_drops() -> bool:
    """Whether a registration with the policy NONE drops keys, as all others do: it does (001, L53, L60)."""
    return True


def loaded_of(keys: tuple[str, ...]) -> tuple[str, ...]:
    """Which of the server's keys that are covered have been loaded when the call returns: all (001, L57)."""
    return keys


def registration_tells() -> bool:
    """Whether listeners are told of what a registration loads: they are not (001, L62)."""
    return False


def loads_of_others() -> bool:
    """Whether a registration loads what only other members than the server hold: it does not (001, L57)."""
    return False
