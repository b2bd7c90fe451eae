"""The text of docs/rules.md, made from the rules' headers and from what the lint refuses."""

from __future__ import annotations

from plumbline.reference.rules.lint import refusals
from plumbline.reference.rules.rule import load_parts, load_rules

_HEAD = """\
# The rules

A rule judges one requirement in a recorded [trace](trace.md). It is one SQL text, `reference/rules/ID.sql`,
and the same text runs on DuckDB in a run, on DuckDB inside Spark's tasks over any number of runs, and, as
an independent check of the text itself, on Spark SQL. This page is made by `python -m
plumbline.reference.rules`; a test keeps it equal to the rules.

## What a rule answers

A rule reads the view `ev`, the trace, and nothing else. It answers with one row per **opportunity**: a
place where a violation could have shown.

| column | meaning |
|---|---|
| `run_id`, `example` | where |
| `seq` | the row of the trace to look at |
| `subject` | what was judged, for example `region/key` |
| `witness` | what was seen there, for people |
| `violated` | whether the opportunity was taken |

So a rule that finds nothing to judge says *not exercised*, never *pass*. The verdict on a run is *fail*
with any violation, or *deviation* where something is on record for the requirement in that run; else
*unknown* if anything of its trace was set aside or missing, or the run did not end in order; else *pass*,
or *not exercised* without an opportunity. What a file may lack, and how that is
noticed, is told in `reference/trace/files.py`.

A text begins with a header of comment lines: `requirement`, `view` (*black-box*: reads only kinds of
event that a harness sees from outside; *internal*), `empty-start` (*yes*: it assumes that regions are empty
when an example begins, so it cannot judge a recording that starts midway), `only-with` (optional: a kind of
row without which there is no opportunity), `parts` (optional), `columns`, `opportunity`, `violation`; a line
that begins with three blanks goes on with the last.

What several rules need to know of a trace is written once, in `reference/rules/parts/NAME.sql`: named
expressions that are put in front of a rule's own `WITH`, after those of the parts that they need. The columns
that parts read need not be named again.

| part | what it tells |
|---|---|
PARTS

## Judging

    plumbline judge [DIR...] [--all] [--engine auto|duckdb|spark] [--out OUT] [--json]
    python -m plumbline.spark DIR... --out OUT
    spark-submit [options] spark/__main__.py DIR... --out OUT

`plumbline judge` reads the configured folder of runs where no DIR is named. It takes the
[newest run](gate.md#which-runs-count) of each candidate and requirement; `--all` takes all.
`python -m plumbline.spark` always takes all.

With `--out`, what was judged before by the same rules is not judged again, and judging that was stopped
goes on. `OUT` then holds `verdicts`, `runs` (every run, also those in which nothing was found), `witnesses`
(the first of each rule and run), `flaws` (what was set aside, by name) and `summary` (per requirement,
candidate, product version and day), all Parquet. Under spark-submit or with `SPARK_REMOTE`, run directories
and `OUT` have to be reachable under the same path everywhere, and Plumbline has to be installed on the
workers.

A new rule needs a sample that violates it and no rule that could be kept besides, or the tests fail: in
`ci/selftest/histories/`: `samples.py`, or for what happens between sites `gateway_wrong.py`, and of clients
`client_wrong.py`, `interest_wrong.py` or `failover_wrong.py`, two of them there, and in
`gateway_right.py` or `client_right.py` one that only looks as if it did: a false alarm is worse than a miss.

"""


def markdown() -> str:
    """The text of docs/rules.md."""
    lines = ["## The rules there are", ""]
    for rule in load_rules().values():
        start = "; assumes an empty start" if rule.empty_start else ""
        lines += [
            f"**{rule.requirement}** ({rule.view}{start})",
            "",
            f"- opportunity: {rule.opportunity}",
            f"- violation: {rule.violation}",
            "",
        ]
    lines += [
        "## What a text may not use",
        "",
        "Constructs that one engine alone accepts, or that both accept with different answers, are refused",
        "by `reference/rules/lint.py`:",
        "",
        *(f"- {reason}" for reason in refusals()),
        "- ORDER BY without NULLS FIRST or NULLS LAST: engines put nulls at different ends",
        "- a backslash in a text: an escape in one engine only",
        "- GROUP BY, PARTITION BY or JOIN without run_id and example: examples would be mixed",
        "- columns and kinds that the trace does not have, or that the header does not allow",
        "",
    ]
    parts = "\n".join(f"| `{part.name}` | {part.meaning} |" for part in load_parts().values())
    return _HEAD.replace("PARTS", parts) + "\n".join(lines)
