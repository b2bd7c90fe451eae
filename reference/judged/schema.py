"""The judged tables: their names, columns and meaning, and the page about them.

docs/judged.md is made from this module (`python -m plumbline.reference.judged`). Knows nothing of how the
tables are made.
"""

from __future__ import annotations

from typing import NamedTuple

import pyarrow as pa

JUDGED_FORMAT = 1
"""Version of the layout; tables of another one are not read."""

TEXT, COUNT, RATE, FLAG = pa.string(), pa.int64(), pa.float64(), pa.bool_()


class JudgedColumn(NamedTuple):
    """One column: its name, its type, what it means, and its unit where it has one."""

    name: str
    type: pa.DataType
    meaning: str
    unit: str = ""


class JudgedTable(NamedTuple):
    """One table.

    Attributes:
        name: its folder below `tables`.
        meaning: one row is this.
        key: the columns that tell rows apart, in which order rows stand.
        columns: all others.
        partition: the key column that parts its files; "" for one file.
    """

    name: str
    meaning: str
    key: tuple[str, ...]
    columns: tuple[JudgedColumn, ...]
    partition: str = ""

    @property
    def schema(self) -> pa.Schema:
        """The columns of the table, keys first."""
        keys = [pa.field(name, KEY_TYPES.get(name, TEXT), nullable=False) for name in self.key]
        return pa.schema([*keys, *(pa.field(one.name, one.type) for one in self.columns)])


KEYS = {
    "requirement": "id of the requirement",
    "candidate": "the candidate as it was named",
    "product": "the product's own name",
    "product_version": "the product's own version",
    "dialect": "the dialect judged by",
    "profile": "smoke, gate or full",
    "day": "day on which runs started, UTC; `unknown` where a run does not say",
    "measure": "what was measured: propagation, queue_residence, failover_gap",
    "failure": "a digest of decision, reduced plan and requirement",
    "place": "place among them, the smallest first, from 1",
    "why": "unsupported, not exercised, unknown, adapter error, without a row",
    "path": "file or directory",
    "bin": "number of the bin of the sketch",
}
"""The columns that tell rows apart."""

KEY_TYPES = {"place": COUNT, "bin": COUNT}

SUBJECT = ("candidate", "product", "product_version", "dialect")
"""What a version of a candidate is told by, under one dialect."""

_N = (
    JudgedColumn("runs", COUNT, "runs that have a row about it"),
    JudgedColumn("passed", COUNT, "runs in which it held"),
    JudgedColumn("deviating", COUNT, "runs in which it differs as is on record"),
    JudgedColumn("failed", COUNT, "runs that show a violation"),
    JudgedColumn("intermittent", COUNT, "runs that show one in some replays only"),
    JudgedColumn("unknown", COUNT, "runs that could not judge it, or whose evidence is damaged"),
    JudgedColumn("adapter_errors", COUNT, "runs in which the adapter failed"),
    JudgedColumn("unsupported", COUNT, "runs in which the candidate lacks what the test needs"),
    JudgedColumn("not_exercised", COUNT, "runs in which nothing could have shown a violation"),
    JudgedColumn("judged", COUNT, "n: passed, deviating, failed and intermittent"),
    JudgedColumn("broken", COUNT, "k: failed and intermittent"),
    JudgedColumn("low", RATE, "lower end of Wilson's interval of k in n at 95 %; null for n = 0", "0 to 1"),
    JudgedColumn("high", RATE, "upper end of it", "0 to 1"),
    JudgedColumn("below", RATE, "for k = 0: the rate is below this at 95 %, about 3/n; else null", "0 to 1"),
    JudgedColumn("opportunities", COUNT, "how often a violation could have shown, all sources together"),
    JudgedColumn("violations", COUNT, "how often one did"),
    JudgedColumn("verdict", TEXT, "the verdict that stays over these runs"),
    JudgedColumn("search_verdict", TEXT, "the same by scenarios and machines alone"),
    JudgedColumn("rule_verdict", TEXT, "the same by rules alone"),
    JudgedColumn("search_judged", COUNT, "n by scenarios and machines"),
    JudgedColumn("search_broken", COUNT, "k by scenarios and machines"),
    JudgedColumn("rule_judged", COUNT, "n by rules"),
    JudgedColumn("rule_broken", COUNT, "k by rules"),
    JudgedColumn("reason", TEXT, "one reason for the verdict; at most 400 characters"),
    JudgedColumn("first_started", TEXT, "start of the first run, ISO 8601"),
    JudgedColumn("last_started", TEXT, "start of the last run"),
)

TABLES: tuple[JudgedTable, ...] = (
    JudgedTable(
        "verdicts",
        "a requirement at a version of a candidate, by profile and day",
        ("requirement", *SUBJECT, "profile", "day"),
        _N,
        "day",
    ),
    JudgedTable(
        "versions",
        "a requirement at a version of a candidate, over all profiles and days",
        ("requirement", *SUBJECT),
        (
            *_N,
            JudgedColumn(
                "repeats", TEXT, "never, sometimes or always: in how many of the judged runs it is violated"
            ),
        ),
    ),
    JudgedTable(
        "trend",
        "a version of a candidate on one day",
        (*SUBJECT, "day"),
        (
            JudgedColumn("requirements", COUNT, "requirements with a row"),
            JudgedColumn("held", COUNT, "of them: pass"),
            JudgedColumn("deviated", COUNT, "of them: deviation"),
            JudgedColumn("violated", COUNT, "of them: fail or intermittent"),
            JudgedColumn("unjudged", COUNT, "of them: all else"),
        ),
    ),
    JudgedTable(
        "changes",
        "a requirement of a candidate that was violated: since when",
        ("requirement", "candidate", "dialect"),
        (
            JudgedColumn("first_broken", TEXT, "start of the first run with a violation"),
            JudgedColumn("first_broken_version", TEXT, "the version that it was of"),
            JudgedColumn("first_broken_day", TEXT, "the day of it"),
            JudgedColumn(
                "held_before",
                TEXT,
                "start of the last run before it in which the requirement held; null for none",
            ),
            JudgedColumn("held_before_version", TEXT, "the version that it was of"),
            JudgedColumn("last_broken", TEXT, "start of the last run with a violation"),
            JudgedColumn("last_held", TEXT, "start of the last run in which it held; null for none"),
        ),
    ),
    JudgedTable(
        "failures",
        "failures that are the same one; at most 20 for each requirement and candidate",
        ("requirement", "candidate", "dialect", "failure"),
        (
            JudgedColumn("source", TEXT, "scenario, machine or rule"),
            JudgedColumn("decision", TEXT, "the decision that refuses what was seen; `rule` for a rule"),
            JudgedColumn("plan", TEXT, "the reduced plan, a line a step; what a rule saw, without numbers"),
            JudgedColumn("alike", COUNT, "failures that are this one"),
            JudgedColumn("runs", COUNT, "runs that show it"),
            JudgedColumn("tried", COUNT, "how often it was replayed"),
            JudgedColumn("failed", COUNT, "how many of these replays failed"),
            JudgedColumn("first_started", TEXT, "start of the first run that shows it"),
            JudgedColumn("first_version", TEXT, "the version that it was of"),
            JudgedColumn("last_started", TEXT, "start of the last run that shows it"),
            JudgedColumn("groups", COUNT, "how many groups the requirement has, those left out among them"),
        ),
    ),
    JudgedTable(
        "witnesses",
        "an example of a failure, the smallest first; at most 3 for each failure",
        ("requirement", "candidate", "dialect", "failure", "place"),
        (
            JudgedColumn("product_version", TEXT, "the version that shows it"),
            JudgedColumn("run_id", TEXT, "the run that shows it"),
            JudgedColumn("directory", TEXT, "the run directory, as the job saw it"),
            JudgedColumn("example", TEXT, "file of the counterexample, or name of the example in the trace"),
            JudgedColumn("seq", COUNT, "row of the example; null for a counterexample"),
            JudgedColumn("size", COUNT, "steps of its plan, or rows up to the violation"),
            JudgedColumn("subject", TEXT, "what it is about; null for a counterexample"),
            JudgedColumn("expected", TEXT, "what is allowed, in sentences"),
            JudgedColumn("seen", TEXT, "what was seen instead"),
        ),
    ),
    JudgedTable(
        "latencies",
        "a measured time at a version of a candidate: quantiles of its sketch",
        ("measure", *SUBJECT),
        (
            JudgedColumn("amount", COUNT, "times measured"),
            JudgedColumn("p50", RATE, "half of them are at most this, within 1 %", "µs"),
            JudgedColumn("p95", RATE, "95 of 100 are at most this, within 1 %", "µs"),
            JudgedColumn("p99", RATE, "99 of 100 are at most this, within 1 %", "µs"),
            JudgedColumn(
                "effective_runs", RATE, "so many runs with as many times each would say as much (Kish)"
            ),
        ),
    ),
    JudgedTable(
        "sketches",
        "one bin of the times of one day; sketches merge by summing their bins",
        ("measure", *SUBJECT, "day", "bin"),
        (
            JudgedColumn(
                "amount", COUNT, "times in the bin: bin i holds those above 1.02^(i-1) and up to 1.02^i µs"
            ),
        ),
        "day",
    ),
    JudgedTable(
        "duplicates",
        "events that came to the same receiver more than once, on one day",
        (*SUBJECT, "day"),
        (
            JudgedColumn("runs", COUNT, "runs looked at"),
            JudgedColumn("arrivals", COUNT, "events that arrived, repeated ones among them"),
            JudgedColumn("repeated", COUNT, "of them: not the first of their operation and receiver"),
            JudgedColumn("marked", COUNT, "of them: marked as possible duplicates"),
            JudgedColumn("repeating", COUNT, "runs with a repeated event"),
            JudgedColumn("unmarked", COUNT, "runs with a repeated event that is not marked"),
        ),
    ),
    JudgedTable(
        "untested",
        "a requirement that was not judged at a version of a candidate",
        ("requirement", *SUBJECT),
        (
            JudgedColumn("why", TEXT, "unsupported, not exercised, unknown, adapter error, without a row"),
            JudgedColumn("reason", TEXT, "one reason given; at most 400 characters"),
            JudgedColumn("runs", COUNT, "runs that have a row about it"),
        ),
    ),
    JudgedTable(
        "runs",
        "the runs of a version of a candidate, by profile and day",
        (*SUBJECT, "profile", "day"),
        (
            JudgedColumn("runs", COUNT, "runs read"),
            JudgedColumn("whole", COUNT, "of them: ended in order, and fit their seal"),
            JudgedColumn("examples", COUNT, "examples that rules read"),
            JudgedColumn("events", COUNT, "rows of traces that rules read"),
            JudgedColumn("first_started", TEXT, "start of the first run"),
            JudgedColumn("last_started", TEXT, "start of the last run"),
        ),
        "day",
    ),
    JudgedTable(
        "set_aside",
        "what was not read, and why; at most 1,000 rows",
        ("path", "reason"),
        (JudgedColumn("flaws", COUNT, "how many there are in all"),),
    ),
)

BY_NAME = {table.name: table for table in TABLES}


def markdown() -> str:
    """The tables of docs/judged.md."""
    lines = []
    for table in TABLES:
        parted = f", parted by `{table.partition}`" if table.partition else ""
        lines += [f"### {table.name}", "", f"One row is {table.meaning}{parted}.", ""]
        lines += ["| column | type | meaning | unit |", "|---|---|---|---|"]
        for name in table.key:
            told = KEYS.get(name) or "why it was set aside"
            lines.append(f"| `{name}` | {table.schema.field(name).type}, key | {told} | |")
        lines += [f"| `{c.name}` | {c.type} | {c.meaning} | {c.unit} |" for c in table.columns]
        lines.append("")
    return "\n".join(lines)
