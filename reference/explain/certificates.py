"""Certificates: the run that explains a history is checked, step by step, by the model alone.

Knows which steps of the search stand for several of the model's, and which the model takes at another moment.
Runs are noted only for those who ask for it with `noting_runs`.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from plumbline.reference.explain.question import Question
from plumbline.reference.model.clients.durable_clients import HAS_DROPPED
from plumbline.reference.model.sites.dispatch import SENDS_EVENT
from plumbline.reference.model.timeline import READS_CONTENTS
from plumbline.reference.search.ordering import Name
from plumbline.reference.search.run_checker import CheckedRun, check_run
from plumbline.reference.search.search import Answer, Explanation

MOST_MOVED = 64
"""So many steps of a run are moved to where the model takes them."""


def certificate(found: Explanation) -> list[Name]:
    """The run that was found, in single steps of the model."""
    return [single for name, _ in found.run for single in _singles(name)]


def _singles(name: Name) -> Iterator[Name]:
    """The search reads several keys in one step, as readings do not disturb each other."""
    if name[0] != READS_CONTENTS:
        yield name
        return
    for key in name[-1]:
        yield (*name[:-1], (key,))


def checked(question: Question, found: Explanation) -> CheckedRun:
    """Whether the model alone can take the run that was found for a question, and shows the logs by it.

    Two kinds of steps stand elsewhere in a run than in the model. The search decides where it matters what a
    server had dropped of the queue of a lost client: the model decides at once. The search lets a batch grow
    while its receiver has applied nothing of it: the model sends its first event when it is full.
    """
    run = certificate(found)
    for _ in range(MOST_MOVED):
        result = check_run(question.system, question.logs, run)
        if result.stuck is None or result.given_up:
            return result
        if result.stuck[0] == HAS_DROPPED:
            run = [name for name in run if name[0] != HAS_DROPPED]
        elif (earlier := _sent_before(run, result)) is not None:
            run.insert(result.steps - 1, run.pop(earlier))
        else:
            return result
    return result


def _sent_before(run: list[Name], stuck: CheckedRun) -> int | None:
    """Where the event of the same queue stands that was sent before one that cannot be sent; None if none."""
    before = (at for at in reversed(range(stuck.steps)) if run[at][:3] == run[stuck.steps][:3])
    return next(before, None) if run[stuck.steps][0] == SENDS_EVENT else None


class RunsFound:
    """The runs by which searches have explained whole histories, each with what was asked."""

    def __init__(self) -> None:
        self._found: list[tuple[Question, Explanation]] = []

    def __len__(self) -> int:
        """How many there are."""
        return len(self._found)

    def note(self, question: Question, found: Explanation) -> None:
        """Keep the run that was found for a question, if one was."""
        if found.answer is Answer.EXPLAINED:
            self._found.append((question, found))

    def broken(self) -> CheckedRun | None:
        """The first run that the model alone cannot take, or that shows other logs; None if there is none."""
        return next((run for run in self.checked() if run.words), None)

    def checked(self) -> Iterator[CheckedRun]:
        """What becomes of each run."""
        for question, found in self._found:
            yield checked(question, found)


_RUNS_FOUND: ContextVar[RunsFound | None] = ContextVar("runs_found", default=None)


def noted(question: Question, found: Explanation) -> Explanation:
    """What was found; its run is noted where this thread notes runs."""
    runs = _RUNS_FOUND.get()
    if runs is not None:
        runs.note(question, found)
    return found


@contextmanager
def noting_runs() -> Iterator[RunsFound]:
    """Note each run by which this thread's searches explain a whole history."""
    token = _RUNS_FOUND.set(runs := RunsFound())
    try:
        yield runs
    finally:
        _RUNS_FOUND.reset(token)
