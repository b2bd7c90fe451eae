"""Faulty variants of how consistency checking is set, and of what holds where it is off.

Knows nothing of how they are found out.
"""

from __future__ import annotations

from plumbline.reference.rulebook.variant import variant

CHECKING = (
    variant(
        "ignores-the-setting",
        "CFG-CHECKS-03",
        "the attribute is not read: every region checks",
        setting_obeyed=lambda own, others: None,  # noqa: ARG005
    ),
    variant(
        "one-setting-for-all",
        "CFG-CHECKS-03",
        "what the last region names counts for all regions of a member",
        setting_obeyed=lambda own, others: others[-1] if others else own,
    ),
    variant(
        "each-as-it-likes",
        "CFG-CHECKS-04",
        "a member hosts a region with the setting that it asks for, whatever that of others is",
        setting_of_joiner=lambda asked, in_force: asked,  # noqa: ARG005
    ),
    variant(
        "persistent-as-asked",
        "CFG-CHECKS-02",
        "a persistent region is created without checking where that is asked for",
        setting_of_persistent=lambda asked: asked,
    ),
    variant(
        "spares-whoever-does-not-check",
        "CFG-CHECKS-06",
        "a server sends no client what it has itself discarded",
        sends_discarded_unchecked=lambda: False,
    ),
    variant(
        "tombstones-for-ever",
        "CFG-CHECKS-08",
        "a destroy leaves a tombstone where nothing is checked and nobody collects it",
        keeps_tombstone_unchecked=lambda: True,
    ),
    variant(
        "counts-the-unchecked",
        "CFG-CHECKS-08",
        "updates that arrive where nothing is checked are counted as discarded",
        counts_unchecked=lambda: True,
    ),
    variant(
        "clients-forget-at-once",
        "CONS-CL-03",
        "a client forgets a destroyed key at once, with its version",
        client_keeps_tombstone=lambda: False,
    ),
)
