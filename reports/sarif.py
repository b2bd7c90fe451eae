"""What was found broken, as SARIF 2.1.0: requirements are its rules, violations its results.

A result names the file of its counterexample, and says how to replay it. A deviation on record is a result
that is suppressed. A requirement without a judgement is no result: the notifications of the invocation say
how much it is, and which clauses of passed requirements nothing reached. Knows nothing of what reads this.
"""

from __future__ import annotations

import hashlib
import shlex
from collections.abc import Iterable, Mapping
from pathlib import PurePath
from typing import Any
from urllib.parse import quote

from plumbline.reference.catalogue.records import DOCUMENTS, Requirement
from plumbline.reference.catalogue.records import Level as Owed
from plumbline.reference.distribution import NAME, VERSION
from plumbline.reference.results.verdicts import Verdict
from plumbline.reports.broken import Violation
from plumbline.reports.clauses_reached import clauses_not_reached
from plumbline.reports.gate_decision import GateDecision, Weight
from plumbline.reports.github import relative
from plumbline.reports.text import visible
from plumbline.reports.unjudged import Loudness, unjudged

SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"

_LEVEL = {Owed.MUST: "error", Owed.SHOULD: "warning", Owed.MAY: "note", Owed.EXTENSION: "note"}
_LOUD = {Loudness.CALM: "note", Loudness.AMBER: "warning", Loudness.RED: "error"}


def sarif(
    decision: GateDecision, violations: Iterable[Violation], catalogue: Mapping[str, Requirement]
) -> dict[str, Any]:
    """The log: one run of Plumbline, for any number of candidates."""
    index = {identity: place for place, identity in enumerate(catalogue)}
    results = [
        _result(found, catalogue[found.requirement], index[found.requirement])
        for found in violations
        if found.requirement in catalogue
    ]
    return {
        "$schema": SCHEMA,
        "version": "2.1.0",
        "runs": [
            {
                "tool": {
                    "driver": {
                        "name": "Plumbline",
                        "fullName": NAME,
                        "semanticVersion": VERSION,
                        "rules": [_rule(requirement) for requirement in catalogue.values()],
                    }
                },
                "columnKind": "unicodeCodePoints",
                "invocations": [_invocation(decision)],
                "results": results,
            }
        ],
    }


def _rule(requirement: Requirement) -> dict[str, Any]:
    document = f"Document {requirement.document} ({DOCUMENTS[requirement.document]}), {requirement.paragraph}"
    broken = f"It is broken if: {requirement.break_it}"
    return {
        "id": requirement.id,
        "name": requirement.id,
        "shortDescription": {"text": requirement.title},
        "fullDescription": {"text": requirement.statement},
        "help": {
            "text": f"{requirement.statement}\n\n{document}\n\n{broken}",
            "markdown": f"{requirement.statement}\n\n*{document}*\n\n{broken}",
        },
        "defaultConfiguration": {"level": _LEVEL[requirement.level]},
        "properties": {"tags": [str(requirement.area), str(requirement.level), *requirement.dialects]},
    }


def _result(found: Violation, requirement: Requirement, index: int) -> dict[str, Any]:
    deviates = found.verdict is Verdict.DEVIATION
    text = visible("\n".join((f"{requirement.title}: {found.verdict}", *found.sentences)))
    parts = (found.candidate, found.requirement, found.test)
    properties = {"candidate": found.candidate, "verdict": str(found.verdict), "test": found.test}
    result: dict[str, Any] = {
        "ruleId": found.requirement,
        "ruleIndex": index,
        "kind": "fail",
        "level": "note" if deviates else _LEVEL[requirement.level],
        "message": {"text": text},
        "partialFingerprints": {"plumbline/v1": hashlib.sha256("\0".join(parts).encode()).hexdigest()},
        "properties": {name: visible(text) for name, text in properties.items()},
    }
    if found.file is not None:
        place = {"uri": _uri(relative(found.file))}
        result["locations"] = [{"physicalLocation": {"artifactLocation": place, "region": {"startLine": 1}}}]
        result["properties"]["replay"] = shlex.join(["plumbline", "replay", str(found.file)])
    if deviates:
        result["suppressions"] = [
            {"kind": "external", "status": "accepted", "justification": visible(found.reason)}
        ]
    return result


def _invocation(decision: GateDecision) -> dict[str, Any]:
    told = [
        {"level": "error", "message": {"text": visible(f"{reason.candidate} {reason.told}".strip())}}
        for reason in decision.reasons
        if reason.weight is Weight.BROKEN
    ]
    for count in decision.candidates:
        open_ones = unjudged(count.totals)
        text = visible(f"{count.candidate}: {open_ones.words}: {count.words}")
        told.append({"level": _LOUD[open_ones.level], "message": {"text": text}})
        for words in clauses_not_reached(count.clauses_not_reached, count.runs):
            text = visible(f"{count.candidate}: {words}")
            told.append({"level": "note", "message": {"text": text}})
    return {
        "executionSuccessful": decision.exit_code != 2,
        "exitCode": decision.exit_code,
        "toolExecutionNotifications": told,
    }


def _uri(path: PurePath) -> str:
    """Relative to the root of the repository where it can be; an absolute one is a file URI."""
    return path.as_uri() if path.is_absolute() else quote(path.as_posix())
