"""Faulty variants of what becomes of clients' registrations, and of what they load.

Knows nothing of how they are found out.
"""

from __future__ import annotations

import fnmatch
import re

from plumbline.reference.rulebook.interests import LOADS_KEYS, LOADS_NOTHING, LOADS_VALUES
from plumbline.reference.rulebook.variant import variant

INTERESTS = (
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
        "whoever withdraws one registration withdraws all",
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
        outlasts_destroy=lambda: False,
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
        "INT-BULK-01",
        "a registration returns after the first four keys of a long answer",
        loaded_of=lambda keys: keys[:4],
    ),
    variant(
        "loads-are-announced",
        "INT-NOEVT-01",
        "listeners are told of what a registration loads",
        registration_tells=lambda: True,
    ),
    variant(
        "registers-at-primary-only",
        "INT-REG-01",
        "interest is registered at the primary alone",
        registers_at_secondaries=lambda: False,
    ),
)
