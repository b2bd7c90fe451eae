"""Findings in words that a person can read on a terminal or a page.

Knows no verdict.
"""

from __future__ import annotations

from plumbline.reference.explain.oracle import Finding

Sentences = tuple[str, ...]


def finding_words(finding: Finding) -> tuple[Sentences, Sentences]:
    """What was expected and what was seen, at the furthest points where explaining ended."""
    expected, seen = [], []
    if finding.sight:
        expected.append("none of this")
        seen.append(finding.sight)
    for dead_end in finding.dead_ends:
        offered = " or ".join(dead_end.offered) or "nothing more"
        expected.append(f"{dead_end.place}: {offered}")
        seen.append(f"{dead_end.place}: {dead_end.due}")
    return tuple(dict.fromkeys(expected)), tuple(dict.fromkeys(seen))
