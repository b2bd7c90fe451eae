"""The sign, word and class of each verdict, and what the outcome of a whole run is called.

A verdict is never told by colour alone: the sign and the word stand beside it. Knows nothing of HTML or
terminals beyond the names of a class and of a terminal style.
"""

from __future__ import annotations

from typing import NamedTuple

from plumbline.reference.results.verdicts import MEANING, Verdict


class Sign(NamedTuple):
    """How a verdict is shown.

    Attributes:
        symbol: one character, present in every common font.
        word: the verdict in words.
        name: its class in the style sheet, and its value in filters.
        style: its style on a terminal.
        means: one clause for the legend.
    """

    symbol: str
    word: str
    name: str
    style: str
    means: str


SIGNS: dict[Verdict, Sign] = {
    Verdict.FAIL: Sign("✗", "fail", "fail", "bold red", "a violation was found"),
    Verdict.INTERMITTENT: Sign(
        "±", "intermittent", "intermittent", "bold magenta", "a violation was found, but not in every replay"
    ),
    Verdict.ADAPTER_ERROR: Sign(
        "!", "adapter error", "adapter-error", "bold yellow", "the adapter failed, so there is no verdict"
    ),
    Verdict.UNKNOWN: Sign(
        "?", "unknown", "unknown", "yellow", "the search reached its limit, so there is no verdict"
    ),
    Verdict.DEVIATION: Sign(
        "≠", "deviation", "deviation", "blue", "differs in a recorded way; everything else holds"
    ),
    Verdict.PASS: Sign("✓", "pass", "pass", "green", "tested; no violation found"),
    Verdict.UNSUPPORTED: Sign(
        "⊘", "unsupported", "unsupported", "dim", "the candidate does not offer a feature that the test needs"
    ),
    Verdict.NOT_EXERCISED: Sign(
        "○", "not exercised", "not-exercised", "dim", "no test reached a situation that checks it"
    ),
}
"""All verdicts, from the one that stays above all others in a merge down to those that give way first."""

JUNIT_ELEMENT = {"failed": "failure", "broken": "error", "skipped": "skipped"}
"""The element of a JUnit case that tells each status of MEANING; a passed case holds none."""

EXIT_MEANING: dict[int, str] = {
    0: "every judged requirement holds",
    1: "a requirement is violated",
    2: "no complete verdict: something could not be judged",
}
"""What each exit code of a run says, in words."""


def meaning_table() -> str:
    """The table of docs/verdicts.md: what each verdict means here, to pytest, JUnit, Allure and a shell."""
    lines = [
        "| Rank | Verdict | It means | pytest | JUnit | Allure | Exit code |",
        "|---:|---|---|---|---|---|---:|",
    ]
    for verdict, sign in SIGNS.items():
        rank, pytest, status, code = MEANING[verdict]
        junit = f"`<{JUNIT_ELEMENT[status]}>`" if status in JUNIT_ELEMENT else "no element"
        told = f"{sign.symbol} **{sign.word}** | {sign.means}"
        lines.append(f"| {rank} | {told} | {pytest} | {junit} | {status} | {code} |")
    return "\n".join(lines) + "\n"
