"""What a run leaves below its directory while it plays: counterexamples, and Plumbline's own errors.

Knows what is kept of a failure and under which name; knows nothing of the order of a run.
"""

from __future__ import annotations

import shlex
from pathlib import Path

from plumbline.reference.results.own_errors import OwnError, keep
from plumbline.reference.results.runs import Counterexample, RunRecord, write_counterexample
from plumbline.reference.results.verdicts import Source
from plumbline.suites.run.closest_run import Nearest, nearest
from plumbline.suites.run.counterexample import counterexample_of
from plumbline.suites.run.results import Result


class Leaving:
    """What one run has left so far.

    Args:
        directory: the run directory.
        also_said: what the command line said that decides what a replay shows, word by word.

    Attributes:
        counterexamples: those that were kept, in that order.
    """

    def __init__(self, directory: Path, also_said: tuple[str, ...] = ()) -> None:
        self.counterexamples: list[Counterexample] = []
        self._directory = directory
        self._also_said = also_said
        self._own_errors = 0

    def own_error(self, error: OwnError) -> None:
        """Keep the traceback of an error of Plumbline's own; raises OSError."""
        self._own_errors += 1
        keep(self._directory, self._own_errors, error)

    def failure(
        self,
        result: Result,
        source: Source,
        tries: tuple[int, int],
        record: RunRecord,
        number: int = 1,
    ) -> str:
        """Write a counterexample; gives its file name.

        Args:
            result: what failed; it was played.
            source: scenario or machine.
            tries: in how many of how many tries it failed.
            record: what is run.
            number: which of the failures of its title it is.

        Raises:
            OSError: it cannot be written.
        """
        name = f"{source}-{result.title}" + (f"-{number}" if number > 1 else "")
        counterexample = counterexample_of(
            result,
            source,
            candidate=record.candidate,
            product=(record.product, record.product_version),
            dialect=record.dialect,
            seed=record.seed,
            tries=tries,
            near=self._nearest(result, record.dialect),
            replay=self._replay_line(name),
        )
        self.counterexamples.append(counterexample)
        return write_counterexample(self._directory, name, counterexample)

    def _nearest(self, result: Result, dialect: str) -> Nearest | None:
        """The right run most like what was seen; None where none is known, or looking for it went wrong."""
        if result.played is None or result.history is None:
            return None
        try:
            return nearest(result.played, result.history, dialect)
        except Exception as error:  # noqa: BLE001 - the failure counts without it
            self.own_error(OwnError.of(f"looking for a right run of {result.title}", error))
            return None

    def _replay_line(self, name: str) -> str:
        """The command that plays the example again."""
        file = self._directory / "counterexamples" / f"{name}.json"
        return shlex.join(["plumbline", "replay", str(file), *self._also_said])
