"""Which clauses of passed requirements nothing reached, in words: the same wherever a pass is read."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from plumbline.reference.catalogue.clauses import full_name
from plumbline.reference.catalogue.owed import OWED


def clauses_not_reached(missed: Mapping[str, tuple[str, ...]], runs: int = 1) -> Iterator[str]:
    """First those that other runs reach, then how many no run can reach yet.

    Args:
        missed: the clauses of each requirement.
        runs: in so many runs.
    """
    names = [full_name(requirement, clause) for requirement, ids in missed.items() for clause in ids]
    told = [name for name in names if name not in OWED]
    if told:
        these = "this run" if runs == 1 else f"these {runs} runs"
        yield f"clauses of passed requirements that {these} did not reach: {', '.join(told)}"
    if owed := len(names) - len(told):
        yield f"clauses of passed requirements that no test reaches yet: {owed} (`plumbline catalogue ID`)"
