"""Which of several runs count: the newest of each candidate and requirement, so a mended failure is green.

A newer run replaces an older one of the same candidate and dialect for each requirement that it asked for, if
it ended in order and its profile plays at least as much. Product versions do not matter: a mended product has
a new one. Knows records of runs, not what was found in them.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime

from plumbline.reference.results.gate_policy import PROFILE_ORDER
from plumbline.reference.results.runs import RunRecord

EVERYTHING = ""
"""Stands for all requirements, where a run asked for all."""

ANY_DIALECT = "any"

Subject = tuple[str, str, int, str]
"""A candidate, a dialect, how much a run plays at least, and a requirement."""


class Newest:
    """Which runs count, for which requirements.

    Args:
        records: of all runs.
    """

    def __init__(self, records: Iterable[RunRecord]) -> None:
        self._records = {record.run_id: record for record in records}
        self._latest: dict[Subject, datetime] = {}
        for record in self._records.values():
            began = _began(record)
            if record.complete and began is not None:
                self._note(record, began)

    def _note(self, record: RunRecord, began: datetime) -> None:
        for dialect in (record.dialect, ANY_DIALECT):
            for depth in range(-1, _depth(record) + 1):
                for requirement in record.selected or (EVERYTHING,):
                    subject = (record.candidate, dialect, depth, requirement)
                    self._latest[subject] = max(began, self._latest.get(subject, began))

    def counts(self, run_id: str, requirement: str) -> bool:
        """Whether what a run says of a requirement counts: no newer run that replaces it asked for that."""
        record = self._records.get(run_id)
        return record is None or not self._replaced(record, requirement)

    @property
    def left_out(self) -> tuple[str, ...]:
        """The runs of which nothing counts, since newer ones asked for all that they asked for."""
        return tuple(
            record.run_id
            for record in self._records.values()
            if all(self._replaced(record, requirement) for requirement in record.selected or (EVERYTHING,))
        )

    def _replaced(self, record: RunRecord, requirement: str) -> bool:
        began = _began(record)
        # A candidate that could not introduce itself may have no dialect in its record.
        subject = record.candidate, record.dialect or ANY_DIALECT, _depth(record)
        newer = (self._latest.get((*subject, asked)) for asked in (EVERYTHING, requirement))
        return began is not None and any(other is not None and other > began for other in newer)


def _began(record: RunRecord) -> datetime | None:
    """When a run began; None where its record does not say so, and it is neither newer nor older then."""
    try:
        began = datetime.fromisoformat(record.started)
    except ValueError:
        return None
    return began if began.tzinfo is not None else None


def _depth(record: RunRecord) -> int:
    """How much a profile plays; less than any for one that is not known."""
    return PROFILE_ORDER.index(record.profile) if record.profile in PROFILE_ORDER else -1
