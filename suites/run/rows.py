"""From what was played to rows of the verdict table: the same rows for a run and for pytest.

Knows scenarios, machines and what was not played; verdicts come from `reference.results.deciding`.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from itertools import zip_longest
from typing import NamedTuple

from plumbline.reference.catalogue.capabilities import Capability
from plumbline.reference.catalogue.loader import all_requirements
from plumbline.reference.results.deciding import Tally, decide
from plumbline.reference.results.verdicts import Source, Verdict, VerdictRow
from plumbline.suites.run.known_deviations import KnownDeviations
from plumbline.suites.run.machine_run import MachineResult
from plumbline.suites.run.results import Result


class CountedResult(NamedTuple):
    """One result, and how often it was played.

    Attributes:
        result: what it showed at first.
        failed: so many times it failed.
        tried: of so many.
        counterexample: the file that was kept of it, or "".
    """

    result: Result
    failed: int = 1
    tried: int = 1
    counterexample: str = ""


def row(
    run_id: str,
    requirement: str,
    source: Source,
    tally: Tally,
    *,
    counterexample: str = "",
    seconds: float = 0.0,
) -> VerdictRow:
    """What a tally says of a requirement, as a line of the verdict table."""
    verdict, reason = decide(tally)
    return VerdictRow(
        run_id=run_id,
        requirement=requirement,
        source=source,
        verdict=verdict,
        exercised=tally.exercised,
        failures=tally.violations,
        reason=reason,
        counterexample=counterexample,
        seconds=seconds,
    )


def of_scenario(run_id: str, judged: CountedResult, on_record: KnownDeviations) -> Iterator[VerdictRow]:
    """A row for each requirement that a scenario is about; a failure that is on record is a deviation."""
    for requirement in judged.result.requirements:
        excused = on_record.excuse(requirement, followed=False)
        told = row(
            run_id,
            requirement,
            Source.SCENARIO,
            tally_of(judged, excused),
            counterexample=judged.counterexample,
            seconds=judged.result.seconds,
        )
        if excused and told.verdict is Verdict.DEVIATION:
            on_record.show(requirement, followed=False)
        yield told


def tally_of(judged: CountedResult, excused: str = "") -> Tally:
    """What one example of a scenario counts for."""
    reason = judged.result.reason
    if judged.result.own_error is not None:
        return Tally(own_error=reason)
    match judged.result.verdict:
        case Verdict.PASS:
            return Tally(played=1, exercised=1)
        case Verdict.DEVIATION:
            return Tally(played=1, exercised=1, deviating=excused or reason)
        case Verdict.UNKNOWN:
            return Tally(played=1, undecided=1, undecided_because=reason)
        case Verdict.ADAPTER_ERROR:
            return Tally(adapter_errors=1, adapter_error=reason)
        case Verdict.UNSUPPORTED:
            return Tally(lacking=reason)
        case Verdict.NOT_EXERCISED:
            return Tally(played=1, none_exercised=reason)
        case Verdict.FAIL | Verdict.INTERMITTENT:
            return Tally(
                played=1,
                exercised=1,
                violations=judged.failed,
                tried=judged.tried,
                violation=reason,
                excused=excused,
            )


def of_machine(
    run_id: str,
    wanted: tuple[str, ...],
    taken: MachineResult,
    *,
    offered: Collection[Capability] | None = None,
    counterexamples: tuple[str, ...] = (),
) -> Iterator[VerdictRow]:
    """A row for each requirement that a machine's failures name, and for each other that was wanted of it.

    The files of its failures are given in their order, if they were kept.
    """
    named: set[str] = set()
    for failure, file in zip_longest(failures(taken), counterexamples, fillvalue=""):
        assert isinstance(failure, CountedResult)
        named.update(failure.result.requirements)
        for requirement in failure.result.requirements:
            yield row(
                run_id,
                requirement,
                Source.MACHINE,
                tally_of(failure),
                counterexample=str(file),
                seconds=failure.result.seconds,
            )
    for requirement in wanted:
        if requirement not in named:
            tally = _tally_of_machine(requirement, taken, lacking(requirement, offered))
            seconds = taken.check.seconds / len(wanted)
            yield row(run_id, requirement, Source.MACHINE, tally, seconds=seconds)


def failures(taken: MachineResult) -> list[CountedResult]:
    """The failures of a machine, in the order in which they were found."""
    trouble = taken.trouble
    first = [] if trouble.failure is None else [CountedResult(trouble.failure, trouble.failed, trouble.tried)]
    return [*first, *(CountedResult(later.failure, later.failed, later.tried) for later in trouble.later)]


def _tally_of_machine(requirement: str, taken: MachineResult, lacking: str) -> Tally:
    played = taken.trouble
    deviates = any(known.requirement == requirement for known in played.deviations)
    own = played.own_errors[0] if played.own_errors else taken.unproven.get(requirement)
    # Where the adapter left every plan, what it said of that is closer to the matter than the catalogue.
    left = played.last_error if played.lacking and not played.played else ""
    return Tally(
        played=played.played,
        exercised=taken.exercised[requirement],
        undecided=played.unknown,
        deviating=played.deviating_words if deviates else "",
        adapter_errors=played.adapter_errors,
        adapter_error=played.last_error,
        own_error="" if own is None else own.words,
        lacking=left or lacking,
        idle=played.idle,
        cut=played.cut,
    )


def unplayed(run_id: str, requirement: str, source: Source, needed: Collection[Capability]) -> VerdictRow:
    """The row of what cannot be played, since the candidate does not offer what it needs."""
    return row(run_id, requirement, source, Tally(lacking=f"needs {', '.join(needed)}"))


def unreached(run_id: str, requirement: str, scenarios: int) -> VerdictRow:
    """The row of a requirement so many of whose scenarios the time budget left unplayed."""
    reason = f"the time limit came before {scenarios} of its scenarios were played"
    return row(run_id, requirement, Source.SCENARIO, Tally(none_exercised=reason))


def left_out(scenarios: int) -> str:
    """What a selection leaves out, so many scenarios among it, and why that matters."""
    return (
        f"only tests about the selected requirements were run; {scenarios} other scenarios were not. "
        "A fault that only these show is not seen; --wide runs them all"
    )


def unjudged(
    run_id: str, requirement: str, dialect: str, offered: Collection[Capability] | None
) -> VerdictRow:
    """The row of a requirement that nothing has judged: what the candidate lacks, or that no test exists."""
    known = all_requirements()[requirement]
    if dialect and dialect not in known.dialects:
        tally = Tally(lacking=f"not owed in the dialect {dialect}")
    else:
        tally = Tally(lacking=lacking(requirement, offered), none_exercised="no test of it yet")
    return row(run_id, requirement, Source.SCENARIO, tally)


def lacking(requirement: str, offered: Collection[Capability] | None) -> str:
    """What a requirement needs and the candidate does not offer, in words; "" where that is not known."""
    needed = () if offered is None else all_requirements()[requirement].capabilities
    lacks = [one for one in needed if one not in (offered or ())]
    return f"needs {', '.join(lacks)}" if lacks else ""
