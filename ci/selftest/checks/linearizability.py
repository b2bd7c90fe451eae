"""Judges recorded histories of registers with the search, and prints each verdict and its time.

`python -m plumbline.ci.selftest.checks.linearizability FOLDER` reads each `.log` and `.txt` file there. Their
formats are the two of Porcupine's test data. The search is the one that explains caches.
Knows nothing of what is right.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path

import click
from rich.console import Console

from plumbline.reference.search.recorded_histories import (
    UnreadableHistoryError,
    initial_value,
    read_history,
)
from plumbline.reference.search.register import linearizable, register
from plumbline.reference.search.search import Answer, Budget

WORDS = {Answer.EXPLAINED: "linearizable", Answer.REFUTED: "not linearizable", Answer.UNKNOWN: "not decided"}


def judged(path: Path, budget: Budget) -> Answer:
    """The verdict on one file: not linearizable if any of its keys is not.

    A history of several keys is linearizable exactly if that of each key is (locality). Raises
    UnreadableHistoryError, OSError.
    """
    first = initial_value(path)
    answers = set()
    for calls in read_history(path).values():
        answers.add(linearizable(calls, register, first, budget))
        if Answer.REFUTED in answers:
            return Answer.REFUTED
    return Answer.UNKNOWN if Answer.UNKNOWN in answers else Answer.EXPLAINED


@click.command(context_settings={"help_option_names": ["-h", "--help"]})
@click.argument("folder", type=click.Path(path_type=Path, exists=True, file_okay=False))
@click.option("--states", type=int, default=5_000_000, show_default=True, help="Most states of a search.")
def main(folder: Path, states: int) -> None:
    """Judge every recorded history in FOLDER.

    Exit code 2 where a file cannot be read or decided.
    """
    console = Console()
    paths = sorted(path for path in folder.rglob("*") if path.suffix in (".log", ".txt"))
    total_s, undecided = 0.0, 0
    for path in paths:
        began = time.perf_counter()
        try:
            answer = judged(path, Budget(states=states))
        except (UnreadableHistoryError, OSError, UnicodeDecodeError) as error:
            console.print(f"{path.name}: cannot be read: {error}", highlight=False, markup=False)
            undecided += 1
            continue
        took_s = time.perf_counter() - began
        total_s += took_s
        undecided += answer is Answer.UNKNOWN
        console.print(f"{path.name}: {WORDS[answer]}, {took_s:.3f} s", highlight=False, markup=False)
    console.print(f"{len(paths)} histories, {undecided} without a verdict, {total_s:.1f} s", highlight=False)
    sys.exit(2 if undecided or not paths else 0)


if __name__ == "__main__":
    main()
