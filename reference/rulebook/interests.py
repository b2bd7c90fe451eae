"""Decisions about what clients register for, and what that drops and loads (001, L50 to L65).

Each function answers one question about plain values. None knows the model's state. Faulty variants of the
answers follow.
"""

from __future__ import annotations

import fnmatch
import re

from plumbline.reference.history.operations import Interest, OperationKind
from plumbline.reference.rulebook.decision import Subject, decision
from plumbline.reference.rulebook.values import Free
from plumbline.reference.rulebook.variant import variant

LOADS_NOTHING, LOADS_KEYS, LOADS_VALUES = "none", "keys", "keys_values"
"""What a registration may load: nothing, keys without values, or keys and values."""


def well_formed(expression: str) -> bool:
    """Whether an expression is one at all; as Python reads it, which shares with Java what suites use."""
    try:
        re.compile(expression)
    except (re.error, RecursionError):
        return False
    return True


def kept_or_replaced(earlier: tuple[Interest, ...], new: Interest) -> Free:
    """All registrations, the new one alone, or those from before."""
    return Free((InterestDecisions.interests_kept(earlier, new), (new,), earlier))


def left_or_gone(earlier: tuple[Interest, ...], withdrawn: Interest) -> Free:
    """What is left, nothing, or all from before."""
    return Free((InterestDecisions.interests_left(earlier, withdrawn), (), earlier))


def any_load() -> Free:
    """Values, keys, or nothing."""
    return Free((LOADS_VALUES, LOADS_KEYS, LOADS_NOTHING))


def all_but_one(keys: tuple[str, ...]) -> Free:
    """All keys, or all but one."""
    return Free((keys, *(tuple(k for k in keys if k != without) for without in keys)))


def any_drop(covered: tuple[str, ...], held: tuple[str, ...]) -> Free:
    """What the registration covers, all that is held, or nothing."""
    return Free((covered, held, ()))


class InterestDecisions(Subject):
    """What a registration covers, keeps, drops and loads."""

    @staticmethod
    @decision("INT-BULK-03")
    def loads_of_others() -> bool:
        """Whether a registration loads what only other members than the server hold: it does not.

        Source: 001, L57.
        """
        return False

    @staticmethod
    @decision("INT-REGEX-01")
    def expression_covers(expression: str, key: str) -> bool:
        """Whether an expression covers a key: if it matches the whole of it (001, L63, L65)."""
        return re.fullmatch(expression, key) is not None

    @staticmethod
    @decision("INT-REGEX-02")
    def accepts_expression(is_one: bool) -> bool:
        """Whether a registration for an expression is accepted: if it is well formed (001, L65)."""
        return is_one

    @staticmethod
    @decision("INT-REGEX-02")
    def refusal_keeps_list() -> bool:
        """Whether a registration that is refused leaves the interest list as it was: it does (001, L65)."""
        return True

    @staticmethod
    @decision("INT-UNION-01", free=kept_or_replaced)
    def interests_kept(earlier: tuple[Interest, ...], new: Interest) -> tuple[Interest, ...]:
        """The interest list after a registration: what was there, and the new one (001, L63)."""
        return (*(one for one in earlier if one != new), new)

    @staticmethod
    @decision("INT-UNION-01", free=left_or_gone)
    def interests_left(earlier: tuple[Interest, ...], withdrawn: Interest) -> tuple[Interest, ...]:
        """The interest list after one was withdrawn: all others (001, L63)."""
        return tuple(
            one
            for one in earlier
            if (one.kind, one.specification) != (withdrawn.kind, withdrawn.specification)
        )

    @staticmethod
    @decision("INT-REG-01")
    def in_force_on_return() -> bool:
        """Whether a registration is in force when its call returns: it is (001, L56, L61)."""
        return True

    @staticmethod
    @decision("INT-REG-02")
    def interest_outlasts(kind: OperationKind) -> bool:  # noqa: ARG004
        """Whether interest outlasts a destroy or clear of its entries: it does (001, L56, L64)."""
        return True

    @staticmethod
    @decision("INT-REG-02")
    def lists_lacking() -> bool:
        """Whether a registration for keys that the server lacks comes on the list: it does.

        Source: 001, L56, L64.
        """
        return True

    @staticmethod
    @decision("RIR-RULE-05")
    def refuses_lacking() -> bool:
        """Whether a registration is refused if the server has nothing that it covers: no (003, L52 s1)."""
        return False

    @staticmethod
    @decision("RIR-RULE-05")
    def holds_places() -> bool:
        """Whether a client holds entries without values for keys that its server lacks: no (003, L52 s1)."""
        return False

    @staticmethod
    @decision("INT-POLICY-04")
    def lists_unloaded() -> bool:
        """Whether a registration that loads nothing comes on the list: it does (001, L60, L61)."""
        return True

    @staticmethod
    @decision("S2C-INT-01")
    def registers_unsubscribed() -> bool:
        """Whether a client without subscriptions can register: it cannot (001, L5, L26)."""
        return False

    @staticmethod
    @decision("INT-CLEAR-03")
    def drop_tells() -> bool:
        """Whether listeners receive what is dropped at a registration: they do not (001, L53, L62)."""
        return False

    @staticmethod
    @decision("INT-CLEAR-01", free=any_drop)
    def dropped_for_keys(covered: tuple[str, ...], held: tuple[str, ...]) -> tuple[str, ...]:  # noqa: ARG004
        """Which keys a client drops as it registers for keys: those it registers for (001, L53 to L54)."""
        return covered

    @staticmethod
    @decision("INT-CLEAR-02", free=any_drop)
    def dropped_for_expression(covered: tuple[str, ...], held: tuple[str, ...]) -> Free:
        """Which keys a client drops as it registers for an expression: those covered, or all.

        Source: 001, L53, L55.
        """
        return Free((covered, held))

    @staticmethod
    @decision("INT-CLEAR-03")
    def drop_is_local() -> bool:
        """Whether dropping keys leaves servers and other clients as they are: it does (001, L53)."""
        return True

    @staticmethod
    @decision("INT-POLICY-03", free=any_load)
    def unnamed_loads() -> str:
        """What a registration loads that names no policy: keys and values (001, L59)."""
        return LOADS_VALUES

    @staticmethod
    @decision("INT-POLICY-01", free=any_load)
    def keys_load() -> str:
        """What a registration with the policy KEYS loads: keys without values (001, L58)."""
        return LOADS_KEYS

    @staticmethod
    @decision("INT-POLICY-02", free=any_load)
    def keys_values_load() -> str:
        """What a registration with the policy KEYS_VALUES loads: keys and values (001, L59)."""
        return LOADS_VALUES

    @staticmethod
    @decision("INT-POLICY-04", free=any_load)
    def none_loads() -> str:
        """What a registration with the policy NONE loads: nothing (001, L60)."""
        return LOADS_NOTHING

    @staticmethod
    @decision("INT-POLICY-04")
    def none_drops() -> bool:
        """Whether a registration with the policy NONE drops keys, as all others do: it does.

        Source: 001, L53, L60.
        """
        return True

    @staticmethod
    @decision("INT-BULK-01", "INT-POLICY-02", free=all_but_one)
    def loaded_of(keys: tuple[str, ...]) -> tuple[str, ...]:
        """Which of the server's keys that are covered have been loaded when the call returns: all.

        Source: 001, L57.
        """
        return keys

    @staticmethod
    @decision("INT-NOEVT-01", "INT-POLICY-01")
    def registration_tells(values: bool) -> bool:  # noqa: ARG004
        """Whether listeners receive what a registration loads, with values or without: no (001, L62)."""
        return False

    @staticmethod
    @decision("INT-NOEVT-01")
    def loads_tell_others() -> bool:
        """Whether listeners of other clients receive what a registration loads: they do not (001, L62)."""
        return False


FAULTS = (
    variant(
        "nothing-to-load-is-refused",
        "RIR-RULE-05",
        "a registration is refused if its server has nothing that it covers",
        refuses_lacking=lambda: True,
    ),
    variant(
        "lacking-keys-leave-entries",
        "RIR-RULE-05",
        "a client holds entries without values for keys that its server lacks",
        holds_places=lambda: True,
    ),
    variant(
        "expression-as-file-name",
        "INT-REGEX-01",
        "an expression is read as a file name pattern is",
        expression_covers=lambda expression, key: fnmatch.fnmatchcase(key, expression),
    ),
    variant(
        "expression-found-anywhere",
        "INT-REGEX-01",
        "an expression covers a key if it matches any part of it",
        expression_covers=lambda expression, key: re.search(expression, key) is not None,
    ),
    variant(
        "takes-any-expression",
        "INT-REGEX-02",
        "an expression that is not well formed is registered, and matches nothing",
        accepts_expression=lambda is_one: True,  # noqa: ARG005
    ),
    variant(
        "forgets-the-list-on-refusal",
        "INT-REGEX-02",
        "a registration that is refused ends all earlier ones",
        refusal_keeps_list=lambda: False,
    ),
    variant(
        "last-registration-counts",
        "INT-UNION-01",
        "a registration replaces those before",
        interests_kept=lambda earlier, new: (new,),  # noqa: ARG005
    ),
    variant(
        "withdraws-everything",
        "INT-UNION-01",
        "a client that withdraws one registration withdraws all",
        interests_left=lambda earlier, withdrawn: (),  # noqa: ARG005
    ),
    variant(
        "registers-in-the-background",
        "INT-REG-01",
        "a registration returns before its server knows of it",
        in_force_on_return=lambda: False,
    ),
    variant(
        "interest-dies-with-entry",
        "INT-REG-02",
        "the interest in a key ends when its entry is destroyed",
        interest_outlasts=lambda kind: kind is not OperationKind.DESTROY,
    ),
    variant(
        "interest-dies-with-clear",
        "INT-REG-02",
        "the interest in keys ends when the region is cleared",
        interest_outlasts=lambda kind: kind is not OperationKind.CLEAR,
    ),
    variant(
        "registers-what-is-there",
        "INT-REG-02",
        "a registration for keys of which the server holds none is accepted and forgotten",
        lists_lacking=lambda: False,
    ),
    variant(
        "forgets-what-loads-nothing",
        "INT-POLICY-04",
        "a registration with the policy NONE brings no later events either",
        lists_unloaded=lambda: False,
    ),
    variant(
        "registers-without-subscription",
        "S2C-INT-01",
        "a client without subscriptions can register",
        registers_unsubscribed=lambda: True,
    ),
    variant(
        "tells-of-dropped-keys",
        "INT-CLEAR-03",
        "listeners receive destroys of the keys that a registration drops",
        drop_tells=lambda: True,
    ),
    variant(
        "drops-all-for-some",
        "INT-CLEAR-01",
        "registering for some keys drops the whole region",
        dropped_for_keys=lambda covered, held: held,  # noqa: ARG005
    ),
    variant(
        "keeps-registered-keys",
        "INT-CLEAR-01",
        "registering for keys drops none of them",
        dropped_for_keys=lambda covered, held: (),  # noqa: ARG005
    ),
    variant(
        "keeps-matching-keys",
        "INT-CLEAR-02",
        "registering for an expression drops nothing",
        dropped_for_expression=lambda covered, held: (),  # noqa: ARG005
    ),
    variant(
        "drops-at-servers-too",
        "INT-CLEAR-03",
        "what a client drops as it registers is destroyed at its servers, too",
        drop_is_local=lambda: False,
    ),
    variant(
        "unnamed-is-none",
        "INT-POLICY-03",
        "a registration that names no policy loads nothing",
        unnamed_loads=lambda: LOADS_NOTHING,
    ),
    variant(
        "keys-bring-values",
        "INT-POLICY-01",
        "the policy KEYS loads values, too",
        keys_load=lambda: LOADS_VALUES,
    ),
    variant(
        "keys-bring-nothing",
        "INT-POLICY-01",
        "the policy KEYS loads nothing",
        keys_load=lambda: LOADS_NOTHING,
    ),
    variant(
        "values-are-left-out",
        "INT-POLICY-02",
        "the policy KEYS_VALUES loads keys alone",
        keys_values_load=lambda: LOADS_KEYS,
    ),
    variant(
        "none-loads-all-the-same",
        "INT-POLICY-04",
        "the policy NONE loads keys and values",
        none_loads=lambda: LOADS_VALUES,
    ),
    variant(
        "none-drops-nothing",
        "INT-POLICY-04",
        "the policy NONE leaves out the drop at the beginning as well",
        none_drops=lambda: False,
    ),
    variant(
        "first-part-only",
        "INT-BULK-01 INT-POLICY-02",
        "a registration returns after the first four keys of a long answer",
        loaded_of=lambda keys: keys[:4],
    ),
    variant(
        "loads-are-announced",
        "INT-NOEVT-01",
        "listeners receive what a registration loads",
        registration_tells=lambda values: values,
    ),
    variant(
        "keys-are-announced",
        "INT-NOEVT-01 INT-POLICY-01",
        "listeners receive the keys that a registration loads without values",
        registration_tells=lambda values: not values,
    ),
    variant(
        "loads-are-announced-to-others",
        "INT-NOEVT-01",
        "listeners of other clients receive what a registration loads",
        loads_tell_others=lambda: True,
    ),
    variant(
        "loads-from-everywhere",
        "INT-BULK-03",
        "a registration loads what any member holds, not only the client's server",
        loads_of_others=lambda: True,
    ),
)
"""Faulty variants: each makes one of these decisions wrong."""
