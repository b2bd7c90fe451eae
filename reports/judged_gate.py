"""The gate on judged tables: whether the newest version of each candidate may go, by all its runs.

Scores as the site does, by `plumbline.reference.judged.scoring`, at the confidence that it is given. A pure
function of tables, a policy, deviations on record and a baseline. Knows nothing of files and terminals.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import date
from fnmatch import fnmatchcase

import msgspec

from plumbline.reference.catalogue.records import Requirement, is_extension
from plumbline.reference.judged.scoring import CONFIDENCE
from plumbline.reference.results.deviations import Deviation, in_force
from plumbline.reference.results.gate_policy import PROFILE_ORDER, GatePolicy, is_named
from plumbline.reference.results.totals import totals
from plumbline.reference.results.verdicts import FAILED, MEANING, Verdict
from plumbline.reports.gate_decision import GateDecision, GateReason, VerdictCount, Weight
from plumbline.reports.release import (
    ReleasedVersion,
    Row,
    Scored,
    Tables,
    newest,
    pooled,
    releases,
    scored,
    subject_of,
)

MOST_ASIDE = 20
_UNJUDGED = (Verdict.ADAPTER_ERROR, Verdict.UNKNOWN, Verdict.UNSUPPORTED, Verdict.NOT_EXERCISED)


class JudgedEvidence(msgspec.Struct, frozen=True, kw_only=True):
    """What is decided on.

    Attributes:
        tables: of the runs in question.
        policy: what must hold.
        catalogue: the requirements, by id.
        today: what expiry dates are compared with.
        deviations: those on record; None for those that the runs were made with.
        baseline: tables of the last release; None for none.
        untested: requirements that no test exists for.
        confidence: of intervals and bounds.
        least_opportunities: with fewer of them nothing passes.
        most: a rate of violations that a pass has to exclude; 1 for none.
    """

    tables: Tables
    policy: GatePolicy
    catalogue: Mapping[str, Requirement]
    today: date
    deviations: tuple[Deviation, ...] | None = None
    baseline: Tables | None = None
    untested: frozenset[str] = frozenset()
    confidence: float = CONFIDENCE
    least_opportunities: int = 1
    most: float = 1.0


def decide_judged(evidence: JudgedEvidence) -> GateDecision:
    """Whether the release may go, and every reason."""
    latest = newest(releases(evidence.tables))
    reasons = [*_broken(evidence, latest), *_required(evidence.policy, latest)]
    counts = []
    for release in latest:
        judged = _JudgedRelease(release, evidence)
        reasons += judged.reasons()
        counts.append(judged.count())
    order = list(Weight)
    reasons.sort(key=lambda reason: order.index(reason.weight))
    weights = {reason.weight for reason in reasons}
    code = 2 if Weight.BROKEN in weights else 1 if Weight.RED in weights else 0
    return GateDecision(code, tuple(reasons), tuple(counts))


def _broken(evidence: JudgedEvidence, latest: list[ReleasedVersion]) -> Iterator[GateReason]:
    again = "judge whole runs"
    if not latest:
        yield GateReason(weight=Weight.BROKEN, told="the tables hold no run", advice="plumbline judge RUNS")
    for tables, what in ((evidence.tables, ""), (evidence.baseline or {}, "baseline: ")):
        aside = tables.get("set_aside", [])
        for row in aside[:MOST_ASIDE]:
            told = f"{what}{row['path']}: {row['reason']}"
            yield GateReason(weight=Weight.BROKEN, told=told, advice=again)
        if aside and aside[0]["flaws"] > MOST_ASIDE:
            told = f"{what}{aside[0]['flaws'] - MOST_ASIDE} more were set aside"
            yield GateReason(weight=Weight.BROKEN, told=told, advice=again)
    for release in latest:
        if release.whole < release.runs:
            told = f"{release.runs - release.whole} of {release.runs} runs are not whole"
            yield GateReason(weight=Weight.BROKEN, candidate=release.candidate, told=told, advice=again)
        foreign = sorted(release.found.keys() - evidence.catalogue.keys())
        if foreign:
            told = f"this version of Plumbline knows nothing of it, nor of {len(foreign) - 1} more"
            yield GateReason(
                weight=Weight.BROKEN,
                candidate=release.candidate,
                requirement=foreign[0],
                told=told,
                advice="let the version decide that has made the tables",
            )


def _required(policy: GatePolicy, latest: list[ReleasedVersion]) -> Iterator[GateReason]:
    for pattern in policy.required.candidates:
        if not any(
            release.candidate == pattern or fnmatchcase(release.candidate, pattern) for release in latest
        ):
            told = "the policy requires a run of this candidate, and the tables hold none"
            yield GateReason(weight=Weight.RED, candidate=pattern, told=told)
    for dialect in policy.required.dialects:
        if dialect not in {release.subject[3] for release in latest}:
            told = f"the policy requires a run judged by the dialect {dialect}, and the tables hold none"
            yield GateReason(weight=Weight.RED, told=told)


class _JudgedRelease:
    """One version before the gate."""

    def __init__(self, release: ReleasedVersion, evidence: JudgedEvidence) -> None:
        self._release, self._evidence, self._policy = release, evidence, evidence.policy
        self._found = self._scored(evidence.tables, release)
        self._enough = any(_plays(profile) >= self._least for profile in release.profiles)
        self._before = self._counterpart()
        given = evidence.deviations
        on_record = in_force(given or (), release.version, evidence.today)
        self._on_record = None if given is None else {known.requirement for known in on_record}

    @property
    def _least(self) -> int:
        return PROFILE_ORDER.index(self._policy.minimum_profile)

    def _scored(self, tables: Tables, release: ReleasedVersion) -> dict[str, Scored]:
        """What counts of each requirement: runs that play enough, and each violation."""
        rows: dict[str, list[Row]] = {}
        for row in tables["verdicts"]:
            counts = _plays(row["profile"]) >= self._least or MEANING[Verdict(row["verdict"])].exit_code
            if counts and subject_of(row) == release.subject:
                rows.setdefault(row["requirement"], []).append(row)
        given = self._evidence
        return {
            requirement: scored(pooled(found), given.confidence, given.least_opportunities, given.most)
            for requirement, found in rows.items()
        }

    def _counterpart(self) -> dict[str, Scored]:
        """What the baseline says of the same candidate, else of the same product, in the same dialect."""
        if self._evidence.baseline is None:
            return {}
        candidate, product, _, dialect = self._release.subject
        alike = [one for one in newest(releases(self._evidence.baseline)) if one.subject[3] == dialect]
        named = [one for one in alike if one.candidate == candidate]
        similar = named or [one for one in alike if one.subject[1] == product]
        return self._scored(self._evidence.baseline, similar[-1]) if similar else {}

    def count(self) -> VerdictCount:
        """How many requirements got each verdict, as the site counts them."""
        verdicts = {identity: one.verdict for identity, one in self._found.items()}
        found = totals(verdicts, self._evidence.catalogue, untested=self._evidence.untested)
        candidate, product, version, dialect = self._release.subject
        return VerdictCount(
            candidate=candidate,
            product=product,
            version=version,
            dialect=dialect,
            runs=self._release.runs,
            verdicts={verdict.value: count for verdict, count in found.verdicts.items()},
            not_asked_for=found.not_asked_for,
            without_test=found.without_test,
            extensions={verdict.value: count for verdict, count in found.extensions.items()},
        )

    def reasons(self) -> list[GateReason]:
        """Every reason about this version."""
        found = [*self._suite()]
        found += [reason for identity in self._owed() if (reason := self._about(identity)) is not None]
        return [*found, *self._unjudged()]

    def _suite(self) -> Iterator[GateReason]:
        if not self._enough:
            told = f"the policy requires the profile {self._policy.minimum_profile}, and no run plays as much"
            yield self._reason(Weight.RED, told=told)
        if self._evidence.baseline is not None and not self._before:
            told = "the baseline has no run of this candidate and dialect to compare with"
            yield self._reason(Weight.BROKEN, told=told, advice="give one that has, or none")
        passes = sum(self._of(one) is Verdict.PASS for one in self._owed() if not is_extension(one))
        if passes < self._policy.passes_at_least:
            told = f"{passes} requirements pass, and the policy requires {self._policy.passes_at_least}"
            yield self._reason(Weight.RED, told=told)
        for known in self._evidence.deviations or ():
            if known.applies_to(self._release.version) and self._evidence.today > known.expires:
                told = f"the deviation on record has expired on {known.expires}: {known.words}"
                yield self._reason(Weight.RED, known.requirement, told=told, advice="decide anew")
        unasked = [one for one in self._owed() if self._must(one) and one not in self._found]
        unasked = [one for one in unasked if one not in self._evidence.untested]
        if unasked and self._policy.whole_suite:
            told = f"no run that counts has a row about it, nor about {len(unasked) - 1} more"
            advice = "run without --select, or set whole_suite = false in the policy"
            yield self._reason(Weight.RED, unasked[0], told=told, advice=advice)

    def _about(self, identity: str) -> GateReason | None:
        verdict = self._of(identity)
        old = self._before.get(identity)
        regressed = old is not None and old.verdict is Verdict.PASS and verdict is not Verdict.PASS
        told, red = "", False
        if verdict in FAILED:
            told, red = self._words(identity), self._must(identity)
        elif verdict is Verdict.DEVIATION and self._on_record is not None and identity not in self._on_record:
            told, red = "it deviates, and nothing is on record for it now", self._must(identity)
        if regressed and old is not None:
            told = f"it passed in the baseline ({old.score.words}); {told or self._words(identity)}"
        if not told:
            return None
        spared = identity in self._policy.regressions_accepted or is_named(
            identity, self._policy.not_required
        )
        weight = Weight.RED if red or (regressed and not spared) else Weight.ADVISORY
        advice = "mend the product, or put it on record with reason, owner and expiry (--deviations)"
        return self._reason(weight, identity, told=told, advice=advice)

    def _unjudged(self) -> Iterator[GateReason]:
        for verdict in _UNJUDGED:
            found = [
                identity
                for identity in self._owed()
                if self._of(identity) is verdict and self._must(identity) and identity in self._found
            ]
            limit = getattr(self._policy.tolerated, verdict.value.replace(" ", "_"))
            over = isinstance(limit, int) and len(found) > limit
            for identity in found:
                few = self._found[identity].row["verdict"] != verdict
                named = identity in self._policy.required.requirements
                if over or few or named:
                    told = f"{len(found)} {verdict}, and the policy tolerates {limit}"
                    told = "the policy names it, and it did not pass" if named else told
                    told = "it passes on too little evidence" if few else told
                    yield self._reason(Weight.RED, identity, told=f"{told}: {self._words(identity)}")

    def _owed(self) -> Iterator[str]:
        for identity, requirement in self._evidence.catalogue.items():
            dialect = self._release.subject[3]
            if not dialect or dialect in requirement.dialects or self._of(identity) in FAILED:
                yield identity

    def _of(self, identity: str) -> Verdict:
        one = self._found.get(identity)
        return one.verdict if one else Verdict.NOT_EXERCISED

    def _must(self, identity: str) -> bool:
        requirement, policy = self._evidence.catalogue[identity], self._policy
        wanted = requirement.level in policy.levels and (not policy.areas or requirement.area in policy.areas)
        named = identity in policy.required.requirements
        return named or (wanted and not is_named(identity, policy.not_required))

    def _words(self, identity: str) -> str:
        one = self._found.get(identity)
        if one is None:
            return "no run that counts has a row about it"
        reason = one.row["reason"]
        return f"{one.score.words}: {reason}" if reason else one.score.words

    def _reason(self, weight: Weight, requirement: str = "", *, told: str, advice: str = "") -> GateReason:
        if weight is Weight.RED and is_extension(requirement) and not self._must(requirement):
            weight = Weight.ADVISORY  # an extension binds where the policy asks for it, and nowhere else
        verdict = self._of(requirement).value if requirement in self._found else ""
        return GateReason(
            weight=weight,
            candidate=self._release.candidate,
            requirement=requirement,
            verdict=verdict,
            told=told,
            advice=advice,
        )


def _plays(profile: str) -> int:
    """How much a profile plays; less than any for one that is not known."""
    return PROFILE_ORDER.index(profile) if profile in PROFILE_ORDER else -1
