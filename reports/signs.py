"""The sign, word and class of each verdict, and what the outcome of a whole run is called.

A verdict is never told by colour alone: the sign and the word stand beside it. Knows nothing of HTML or
terminals beyond the names of a class and of a terminal style.
"""

from __future__ import annotations

from typing import NamedTuple

from plumbline.reference.verdicts import MEANING, Verdict


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
    Verdict.FAIL: Sign("✗", "fail", "fail", "bold red", "seen broken"),
    Verdict.INTERMITTENT: Sign(
        "±", "intermittent", "intermittent", "bold magenta", "seen broken, but not at every replay"
    ),
    Verdict.ADAPTER_ERROR: Sign(
        "!", "adapter error", "adapter-error", "bold yellow", "the adapter broke, so nothing is known"
    ),
    Verdict.UNKNOWN: Sign("?", "unknown", "unknown", "yellow", "could not be judged"),
    Verdict.DEVIATION: Sign(
        "≠", "deviation", "deviation", "blue", "differs in a way that is on record; nothing else is wrong"
    ),
    Verdict.PASS: Sign("✓", "pass", "pass", "green", "could have been seen broken, and was not"),
    Verdict.NOT_EXERCISED: Sign(
        "○", "not exercised", "not-exercised", "dim", "nothing happened that could have shown it broken"
    ),
    Verdict.UNSUPPORTED: Sign(
        "⊘", "unsupported", "unsupported", "dim", "the candidate lacks what judging it needs"
    ),
}
"""All verdicts, from the one that stays above all others in a merge down to those that give way first."""

JUNIT_ELEMENT = {"failed": "failure", "broken": "error", "skipped": "skipped"}
"""The element of a JUnit case that tells each status of MEANING; a passed case holds none."""

EXIT_MEANING: dict[int, str] = {
    0: "all that could be judged holds",
    1: "a requirement is broken",
    2: "could not judge",
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
