"""Text of strangers made fit to be shown: on a page, on a terminal, in XML.

A candidate may put anything into its texts: terminal commands, control characters, marks that turn the
reading direction around, a megabyte of one letter. Here such text becomes plain and bounded; escaping for
HTML and XML is left to those who write these. Knows nothing of what the text says.
"""

from __future__ import annotations

import unicodedata

LIMIT = 4_000
STACKED_MARKS = 3


def visible(text: str, limit: int = LIMIT) -> str:
    r"""The text with everything invisible spelled out, and at most about `limit` characters of it.

    Controls (terminal escapes and NUL among them), marks that change the reading direction, surrogates,
    unassigned and private characters become `\u{202E}` and the like; line feeds and tabs stay. No more
    than three combining marks are left on a letter, so that none climbs over its neighbours. A cut is
    told, with the whole length.
    """
    shown: list[str] = []
    marks = 0
    for letter in text[:limit]:
        if letter.isascii() and letter.isprintable():
            shown.append(letter)
            marks = 0
            continue
        category = unicodedata.category(letter)
        marks = marks + 1 if category in {"Mn", "Me"} else 0
        spelled = (category[0] == "C" or category in {"Zl", "Zp"}) and letter not in "\n\t"
        if spelled or marks > STACKED_MARKS:
            shown.append(f"\\u{{{ord(letter):X}}}")
        else:
            shown.append(letter)
    if len(text) > limit:
        shown.append(f"… ({len(text):,} characters)")
    return "".join(shown)


def one_line(text: str, limit: int = LIMIT) -> str:
    """The same in one line: line feeds and tabs are spelled out, too."""
    return visible(text, limit).replace("\n", "\\n").replace("\t", "\\t")


def short(text: str, width: int) -> str:
    """The same in at most `width` columns of a fixed-width type, cut with an ellipsis."""
    kept: list[str] = []
    used = 0
    for letter in one_line(text, 4 * width):
        columns = _columns(letter)
        if used + columns > width:
            # Take back what the ellipsis itself needs.
            while kept and used + 1 > width:
                used -= _columns(kept.pop())
            return "".join(kept) + "…"
        kept.append(letter)
        used += columns
    return "".join(kept)


def columns(text: str) -> int:
    """How many columns of a fixed-width type a text takes."""
    return sum(map(_columns, text))


def _columns(letter: str) -> int:
    if unicodedata.combining(letter):
        return 0
    return 2 if unicodedata.east_asian_width(letter) in "WF" else 1
