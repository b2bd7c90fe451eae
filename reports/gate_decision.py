"""The gate: whether a release may go, by what runs say, a policy, deviations on record and a baseline.

A pure function of what was read, with every reason told. A requirement that could not be judged never counts
as passed. Knows nothing of files and terminals.
"""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Iterator, Mapping
from datetime import date
from enum import StrEnum
from fnmatch import fnmatchcase

import msgspec

from plumbline.reference.catalogue.records import Requirement, is_extension
from plumbline.reference.results.deviations import Deviation, words
from plumbline.reference.results.gate_policy import PROFILE_ORDER, GatePolicy, Limit, is_named
from plumbline.reference.results.totals import Totals
from plumbline.reference.results.verdicts import FAILED, MEANING, Verdict, VerdictRow, merge
from plumbline.reports.collection import Collection, ReportedCandidate, Run
from plumbline.reports.on_record import NotShown, is_file

_UNJUDGED = (Verdict.ADAPTER_ERROR, Verdict.UNKNOWN, Verdict.UNSUPPORTED, Verdict.NOT_EXERCISED)
_ADVICE = {
    Verdict.ADAPTER_ERROR: "mend the adapter; `plumbline check-adapter` shows what is wrong with it",
    Verdict.UNKNOWN: "run again with less load on the machine, or tolerate it in the policy",
    Verdict.UNSUPPORTED: "offer the capability, or tolerate it in the policy",
    Verdict.NOT_EXERCISED: "play more (--profile full), or tolerate it in the policy",
}


class Weight(StrEnum):
    """What a reason does to the answer: it cannot be given, it is no, or it stays as it is."""

    BROKEN = "broken"
    RED = "red"
    ADVISORY = "advisory"


class GateReason(msgspec.Struct, frozen=True, kw_only=True):
    """One reason, told in one line.

    Attributes:
        weight: broken, red or advisory.
        candidate: whom it is about, "" for all.
        requirement: which requirement, "" for none in particular.
        verdict: what was found of it, "" where that is not the point.
        told: what is the matter.
        advice: what to do.
    """

    weight: Weight
    candidate: str = ""
    requirement: str = ""
    verdict: str = ""
    told: str
    advice: str = ""


class VerdictCount(msgspec.Struct, frozen=True, kw_only=True):
    """What was found of one candidate: how many requirements of the catalogue got which verdict.

    Attributes:
        candidate: as it was named.
        product: its own name.
        version: its own version.
        dialect: the dialect judged by.
        runs: how many were read.
        verdicts: how many requirements got each verdict that there is any of.
        not_asked_for: requirements that a selection left out and nothing was seen of.
        without_test: requirements that no test exists for, and nothing was seen of.
        clauses_not_reached: of requirements that passed, the clauses that no run reached.
        extensions: how many extensions got each verdict; they are in none of the other numbers.
    """

    candidate: str
    product: str
    version: str
    dialect: str
    runs: int
    verdicts: dict[str, int]
    not_asked_for: int = 0
    without_test: int = 0
    clauses_not_reached: dict[str, tuple[str, ...]] = {}
    extensions: dict[str, int] = {}

    @property
    def totals(self) -> Totals:
        """The counts, as everything else that counts has them."""
        verdicts = {Verdict(name): count for name, count in self.verdicts.items()}
        apart = {Verdict(name): count for name, count in self.extensions.items()}
        return Totals(verdicts, self.not_asked_for, self.without_test, apart)

    @property
    def words(self) -> str:
        """The counts in one line."""
        return self.totals.words


class GateDecision(msgspec.Struct, frozen=True):
    """The answer: 0 the release may go, 1 it may not, 2 the question could not be answered."""

    exit_code: int
    reasons: tuple[GateReason, ...]
    candidates: tuple[VerdictCount, ...]


class Evidence(msgspec.Struct, frozen=True, kw_only=True):
    """What is decided on.

    Attributes:
        runs: the runs in question.
        policy: what must hold.
        catalogue: the requirements, by id.
        deviations: those on record; None for those that the runs themselves kept.
        baseline: the runs compared with; None for none.
        today: what expiry dates are compared with.
        flaws: what else was found broken: which file or directory, and why.
        not_shown: those of the deviations given that the files they name do not show.
        untested: requirements that no test exists for; they are counted apart.
    """

    runs: Collection
    policy: GatePolicy
    catalogue: Mapping[str, Requirement]
    deviations: tuple[Deviation, ...] | None = None
    baseline: Collection | None = None
    today: date
    flaws: tuple[tuple[str, str], ...] = ()
    not_shown: tuple[NotShown, ...] = ()
    untested: frozenset[str] = frozenset()


def decide(evidence: Evidence) -> GateDecision:
    """Whether the release may go, and every reason."""
    reasons = [*_broken(evidence), *_required(evidence)]
    counts = []
    for candidate in evidence.runs.candidates:
        judged = _Judged(candidate, evidence)
        reasons += judged.reasons()
        counts.append(judged.count())
    order = list(Weight)
    reasons.sort(key=lambda reason: order.index(reason.weight))
    weights = {reason.weight for reason in reasons}
    code = 2 if Weight.BROKEN in weights else 1 if Weight.RED in weights else 0
    return GateDecision(code, tuple(reasons), tuple(counts))


def _broken(evidence: Evidence) -> Iterator[GateReason]:
    """Why the question cannot be answered."""
    if not evidence.runs.candidates and not evidence.runs.set_aside:
        yield GateReason(weight=Weight.BROKEN, told="there is no run to decide on", advice="plumbline run")
    again = "run again, and give the gate the whole directory"
    for place, why in evidence.flaws:
        yield GateReason(weight=Weight.BROKEN, told=f"{place}: {why}", advice=again)
    for collection, what in ((evidence.runs, ""), (evidence.baseline, "baseline: ")):
        for aside in collection.set_aside if collection else ():
            yield GateReason(weight=Weight.BROKEN, told=f"{what}{aside.path}: {aside.reason}", advice=again)
        for candidate in collection.candidates if collection else ():
            for trouble in candidate.troubles:
                yield GateReason(
                    weight=Weight.BROKEN, candidate=candidate.name, told=f"{what}{trouble}", advice=again
                )
    for candidate in evidence.runs.candidates:
        foreign = sorted(candidate.findings().keys() - evidence.catalogue.keys())
        if foreign:
            made = ", ".join(sorted({run.record.suite_version for run in candidate.runs}))
            yield GateReason(
                weight=Weight.BROKEN,
                candidate=candidate.name,
                requirement=foreign[0],
                told=f"this version of Plumbline knows nothing of it, nor of {len(foreign) - 1} more",
                advice=f"let the version decide that has made the run ({made})",
            )


def _required(evidence: Evidence) -> Iterator[GateReason]:
    """What the policy wants runs of, and there are none."""
    names = [candidate.name for candidate in evidence.runs.candidates]
    for pattern in evidence.policy.required.candidates:
        if not any(name == pattern or fnmatchcase(name, pattern) for name in names):
            yield GateReason(
                weight=Weight.RED,
                candidate=pattern,
                told="the policy requires a run of this candidate, and none is given",
                advice=f"plumbline run --candidate '{pattern}'",
            )
    dialects = {candidate.dialect for candidate in evidence.runs.candidates}
    for dialect in evidence.policy.required.dialects:
        if dialect not in dialects:
            yield GateReason(
                weight=Weight.RED,
                told=f"the policy requires a run judged by the dialect {dialect}, and none is given",
                advice=f"plumbline run --dialect {dialect}",
            )


class _Judged:
    """One candidate before the gate."""

    def __init__(self, candidate: ReportedCandidate, evidence: Evidence) -> None:
        self._candidate = candidate
        self._catalogue = evidence.catalogue
        self._untested = evidence.untested
        self._policy = evidence.policy
        self._today = evidence.today
        least = PROFILE_ORDER.index(evidence.policy.minimum_profile)
        self._enough = tuple(run for run in candidate.runs if _rank(run) >= least)
        # With no run that counts, that is told, and what the others say all the same.
        counting = self._enough or candidate.runs
        self._rows: dict[str, list[tuple[Run, VerdictRow]]] = {}
        for run in candidate.runs:
            for row in run.rows:
                if run in counting or MEANING[row.verdict].exit_code:
                    self._rows.setdefault(row.requirement, []).append((run, row))
        self._verdicts = {identity: _verdict(rows) for identity, rows in self._rows.items()}
        kept = (deviation for run in candidate.runs for deviation in run.record.deviations)
        given = tuple(dict.fromkeys(kept)) if evidence.deviations is None else evidence.deviations
        self._known = tuple(known for known in given if known.applies_to(candidate.version))
        self._in_file = evidence.deviations is not None
        self._not_shown = tuple(flaw for flaw in evidence.not_shown if flaw.deviation in self._known)
        self._compared = evidence.baseline is not None
        self._baseline = _counterpart(candidate, evidence)
        self._before = {} if self._baseline is None else _passed(self._baseline)

    def count(self) -> VerdictCount:
        """How many requirements got each verdict, as run and site count them."""
        found = self._candidate.totals(self._catalogue, self._untested)
        return VerdictCount(
            candidate=self._candidate.name,
            product=self._candidate.product,
            version=self._candidate.version,
            dialect=self._candidate.dialect,
            runs=len(self._candidate.runs),
            verdicts={verdict.value: count for verdict, count in found.verdicts.items()},
            not_asked_for=found.not_asked_for,
            without_test=found.without_test,
            clauses_not_reached=self._candidate.clauses_not_reached,
            extensions={verdict.value: count for verdict, count in found.extensions.items()},
        )

    def reasons(self) -> list[GateReason]:
        """Every reason about this candidate."""
        found = [*self._suite(), *self._on_record()]
        found += [reason for identity in self._owed() if (reason := self._about(identity)) is not None]
        return [*found, *self._unjudged()]

    def _suite(self) -> Iterator[GateReason]:
        """What is the matter with the runs as a whole."""
        least = self._policy.minimum_profile
        if not self._enough:
            played = ", ".join(sorted({run.record.profile for run in self._candidate.runs}))
            yield self._reason(
                Weight.RED,
                told=f"the policy requires the profile {least}, and the runs are {played}",
                advice=f"plumbline run --profile {least}",
            )
        if self._compared and self._baseline is None:
            yield self._reason(
                Weight.BROKEN,
                told="the baseline has no run of this candidate and dialect to compare with",
                advice="give one that has, or none",
            )
        passes = sum(self._of(one) is Verdict.PASS for one in self._owed() if not is_extension(one))
        if passes < self._policy.passes_at_least:
            yield self._reason(
                Weight.RED,
                told=f"{passes} requirements pass, and the policy requires {self._policy.passes_at_least}",
            )
        unasked = [
            identity
            for identity in self._owed()
            if self._must(identity) and identity not in self._rows and not self._named(identity)
        ]
        if unasked and self._policy.whole_suite:
            more = f", nor for {len(unasked) - 1} more" if len(unasked) > 1 else ""
            yield self._reason(
                Weight.RED,
                unasked[0],
                told=f"no run that counts asked for it{more}",
                advice="run without --select, or set whole_suite = false in the policy",
            )

    def _on_record(self) -> Iterator[GateReason]:
        """Deviations that have expired, that nothing is a case of any more, or that no file shows."""
        for flaw in self._not_shown:
            yield self._reason(
                Weight.RED,
                flaw.deviation.requirement,
                told=f"of the deviation on record, {flaw.told}",
                advice=flaw.advice,
            )
        if not self._in_file and any(is_file(known) for known in self._known):
            yield self._reason(
                Weight.ADVISORY,
                told="deviations that the runs kept name files that show them, and these were not looked at",
                advice="give the file of deviations (--deviations)",
            )
        for known in self._known:
            verdict = self._of(known.requirement)
            if self._today > known.expires:
                mend = "remove the record" if verdict is Verdict.PASS else "mend the product"
                yield self._reason(
                    Weight.RED,
                    known.requirement,
                    told=f"the deviation on record has expired on {known.expires}: {known.words}",
                    advice=f"{mend}, or have {known.owner} decide anew and set a later `expires`",
                )
            elif self._needless(known, verdict):
                yield self._reason(
                    Weight.RED,
                    known.requirement,
                    told=f"the deviation on record no longer shows: {known.words}",
                    advice="remove it from the file, which would hide the next failure",
                )

    def _needless(self, known: Deviation, verdict: Verdict) -> bool:
        """Whether nothing is a case of it, though its requirement was put to the test."""
        had = [run.record for run in self._candidate.runs if known in run.record.deviations]
        if not had:
            return verdict is Verdict.PASS
        # It may have shown in what is about another requirement.
        held = verdict in (Verdict.PASS, Verdict.DEVIATION)
        return held and all(known in record.deviations_not_seen for record in had)

    def _about(self, identity: str) -> GateReason | None:
        """What one requirement says against the release, if anything; unjudged ones are told later."""
        verdict = self._of(identity)
        regressed = identity in self._before and verdict is not Verdict.PASS
        accepted = identity in self._policy.regressions_accepted or self._only_advises(identity)
        told, advice, red = "", "", False
        match verdict:
            case Verdict.FAIL | Verdict.INTERMITTENT:
                told, advice, red = (
                    self._why(identity) or "a violation was found",
                    self._to_do(identity),
                    self._must(identity),
                )
            case Verdict.DEVIATION if not self._allowed(identity):
                told = "it deviates, and what the run followed is not on record now, or has expired"
                advice = "mend the product, or put it on record with reason, owner and expiry (--deviations)"
                red = self._must(identity)
            case Verdict.PASS:
                return None
        if regressed:
            before = f"it passed in the baseline ({self._before[identity]})"
            told = f"{before}; {told}" if told else before
            advice = advice or "find what changed, or accept it: regressions_accepted in the policy"
        if not told:
            return None
        new = self._is_new(identity)
        if new:
            told = f"new in this version of the suite; {told}"
            advice = f"{advice}; to require it, name it in the policy (required, requirements)"
        weight = Weight.RED if (red and not new) or (regressed and not accepted) else Weight.ADVISORY
        return self._reason(weight, identity, told=told, advice=advice)

    def _unjudged(self) -> Iterator[GateReason]:
        """What must pass and was not judged, where there is more of it than the policy tolerates."""
        for verdict in _UNJUDGED:
            found = [
                identity
                for identity in self._owed()
                if self._of(identity) is verdict
                and self._must(identity)
                and (identity in self._rows or self._named(identity))
            ]
            limit: Limit = getattr(self._policy.tolerated, verdict.value.replace(" ", "_"))
            judged = [identity for identity in found if not self._is_new(identity)]
            over = isinstance(limit, int) and len(judged) > limit
            for identity in found:
                new, named = self._is_new(identity), self._named(identity)
                if not (over or named) or identity in self._before:
                    continue  # where it passed in the baseline, that was told already
                told = "new in this version of the suite; " if new else ""
                told += (
                    "the policy names it, and it did not pass"
                    if named
                    else (f"{len(judged)} {verdict}, and the policy tolerates {limit}")
                )
                why = self._why(identity)
                yield self._reason(
                    Weight.ADVISORY if new else Weight.RED,
                    identity,
                    told=f"{told}: {why}" if why else told,
                    advice=_ADVICE[verdict],
                )

    def _owed(self) -> Iterator[str]:
        """What the candidate owes in its dialect, and what was seen broken though it does not."""
        for identity, requirement in self._catalogue.items():
            owed = not self._candidate.dialect or self._candidate.dialect in requirement.dialects
            if owed or self._of(identity) in FAILED:
                yield identity

    def _of(self, identity: str) -> Verdict:
        return self._verdicts.get(identity, Verdict.NOT_EXERCISED)

    def _must(self, identity: str) -> bool:
        """Whether the policy wants it to pass."""
        requirement, policy = self._catalogue[identity], self._policy
        wanted = requirement.level in policy.levels and (not policy.areas or requirement.area in policy.areas)
        return self._named(identity) or (wanted and not self._only_advises(identity))

    def _named(self, identity: str) -> bool:
        return identity in self._policy.required.requirements

    def _only_advises(self, identity: str) -> bool:
        return is_named(identity, self._policy.not_required) and not self._named(identity)

    def _is_new(self, identity: str) -> bool:
        """Whether the suite of the baseline did not have it yet; a run of a selection cannot tell."""
        if self._baseline is None or self._named(identity):
            return False
        asked = {row.requirement for run in self._baseline.runs for row in run.rows}
        return identity not in asked and not any(run.record.selected for run in self._baseline.runs)

    def _allowed(self, identity: str) -> bool:
        """Whether every deviation that the runs followed, be it of another requirement, is on record now."""
        in_force = {_same(known) for known in self._known if self._today <= known.expires}
        rows = [(run, row) for run, row in self._rows[identity] if row.verdict is Verdict.DEVIATION]
        followed = {
            _same(known)
            for run, row in rows
            for known in run.record.deviations
            if known not in run.record.deviations_not_seen
            and (known.requirement == identity or words((known,)) in row.reason)
        }
        return followed <= in_force if followed else identity in {one for one, _ in in_force}

    def _why(self, identity: str) -> str:
        verdict = self._of(identity)
        rows = self._rows.get(identity, ())
        return "; ".join(
            dict.fromkeys(row.reason for _, row in rows if row.verdict is verdict and row.reason)
        )

    def _to_do(self, identity: str) -> str:
        """What to do about a failure."""
        unused = any(
            known.requirement == identity
            and self._today <= known.expires
            and not any(known in run.record.deviations for run in self._candidate.runs)
            for known in self._known
        )
        if unused and self._in_file:
            return "a deviation is on record that the run did not know: run with --deviations, too"
        for run, row in self._rows.get(identity, ()):
            if row.verdict in FAILED and row.counterexample in run.examples:
                file = run.directory / "counterexamples" / row.counterexample
                return shlex.join(["plumbline", "replay", str(file)])
        return "mend the product, or put it on record with reason, owner and expiry (--deviations)"

    def _reason(self, weight: Weight, requirement: str = "", *, told: str, advice: str = "") -> GateReason:
        verdict = self._of(requirement).value if requirement in self._rows else ""
        if weight is Weight.RED and is_extension(requirement) and not self._must(requirement):
            weight = Weight.ADVISORY  # an extension binds where the policy asks for it, and nowhere else
        return GateReason(
            weight=weight,
            candidate=self._candidate.name,
            requirement=requirement,
            verdict=verdict,
            told=told,
            advice=advice,
        )


def _same(known: Deviation) -> tuple[str, str]:
    """What stays of a deviation when its reason, owner or expiry is rewritten."""
    return known.requirement, known.replaces


def _rank(run: Run) -> int:
    """How much a run plays; less than all others for an unknown profile."""
    return PROFILE_ORDER.index(run.record.profile) if run.record.profile in PROFILE_ORDER else -1


def _verdict(rows: Iterable[tuple[Run, VerdictRow]]) -> Verdict:
    return merge(run.counted(row) for run, row in rows)


def _counterpart(candidate: ReportedCandidate, evidence: Evidence) -> ReportedCandidate | None:
    """The candidate of the baseline to compare with: of the same name, or of the same product; the last."""
    if evidence.baseline is None:
        return None
    alike = [one for one in evidence.baseline.candidates if one.dialect == candidate.dialect]
    named = [one for one in alike if one.name == candidate.name]
    similar = named or [one for one in alike if one.product == candidate.product]
    return similar[-1] if similar else None


def _passed(candidate: ReportedCandidate) -> dict[str, str]:
    """The requirements that passed, and the run that says so."""
    return {
        identity: finding.rows[0][0].record.run_id
        for identity, finding in candidate.findings().items()
        if _verdict(finding.rows) is Verdict.PASS
    }
