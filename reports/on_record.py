"""Deviations on record and the files that are to show them: what is wrong with those files, if anything.

Knows how a counterexample is read; nothing of what a wrong one does to a release.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import msgspec

from plumbline.reference.results.deviations import Deviation
from plumbline.reference.results.runs import COUNTEREXAMPLE_FORMAT, UnreadableRunError, read_counterexample

ADDRESS = "://"


class NotShown(msgspec.Struct, frozen=True):
    """A deviation that its file does not show.

    Attributes:
        deviation: which.
        told: what is the matter with the file.
        advice: what to do.
    """

    deviation: Deviation
    told: str
    advice: str


def not_shown(deviations: Iterable[Deviation], folder: Path) -> tuple[NotShown, ...]:
    """Those whose counterexample is missing, unreadable, of an old layout, or of something else.

    Args:
        deviations: those on record; one that names no file, or an address, is not looked at.
        folder: where the file of deviations lies, which the files are named from.
    """
    looked_at = (known for known in deviations if is_file(known))
    return tuple(flaw for known in looked_at if (flaw := _flaw(known, folder)) is not None)


def is_file(known: Deviation) -> bool:
    """Whether a deviation names a file, not an address or nothing."""
    return bool(known.counterexample) and ADDRESS not in known.counterexample


def _flaw(known: Deviation, folder: Path) -> NotShown | None:
    path = folder / known.counterexample
    leaves = "a run that fails leaves one below its `counterexamples`"
    try:
        example = read_counterexample(path)
    except UnreadableRunError as error:
        if not path.exists():
            return NotShown(
                known,
                f"its counterexample is missing: {path}",
                f"put the file there, or name another; {leaves}",
            )
        return NotShown(known, f"its counterexample cannot be read: {error}", f"name another; {leaves}")
    if known.requirement not in example.requirements:
        shows = ", ".join(example.requirements) or "nothing"
        return NotShown(
            known, f"its counterexample is of {shows}: {path}", f"name one of {known.requirement}; {leaves}"
        )
    if example.format < COUNTEREXAMPLE_FORMAT or example.played is None:
        return NotShown(
            known,
            f"its counterexample is of layout {example.format} and cannot be replayed: {path}",
            f"run {known.requirement} again without --deviations, and name the file that this leaves",
        )
    if example.product_version and not known.applies_to(example.product_version):
        return NotShown(
            known,
            f"its counterexample was seen on {example.product} {example.product_version}, and it is on "
            f"record for {', '.join(known.versions)}: {path}",
            "name one that was seen on such a version; `plumbline replay` tells whether this one still fails",
        )
    return None
