"""The SQL of the judged tables: one text for DuckDB and for Spark.

A statement reads the view `facts` (RESULT_SCHEMA), `requirements` (the ids of the catalogue, by dialect) and
the tables before it. It keeps to what both engines read alike. Knows no engine.
"""

# ruff: noqa: S608 - texts of this module alone are put together
from __future__ import annotations

from plumbline.reference.judged.measures import GAMMA
from plumbline.reference.judged.schema import BY_NAME, SUBJECT, TABLES
from plumbline.reference.judged.scoring import DIGITS
from plumbline.reference.results.verdicts import FAILED, MEANING, Verdict

MOST_GROUPS, MOST_WITNESSES, MOST_FLAWS, LONGEST_REASON = 20, 3, 1_000, 400

_BROKEN = min(MEANING[verdict].rank for verdict in FAILED)
_HELD = f"IN ({MEANING[Verdict.PASS].rank}, {MEANING[Verdict.DEVIATION].rank})"
_SUBJECT = ", ".join(SUBJECT)
_Z = 1.959963984540054
"""The quantile of the normal distribution for an interval of 95 %. With an exponent, numbers are doubles."""

_COUNTED = {
    "passed": Verdict.PASS,
    "deviating": Verdict.DEVIATION,
    "failed": Verdict.FAIL,
    "intermittent": Verdict.INTERMITTENT,
    "unknown": Verdict.UNKNOWN,
    "adapter_errors": Verdict.ADAPTER_ERROR,
    "unsupported": Verdict.UNSUPPORTED,
    "not_exercised": Verdict.NOT_EXERCISED,
}


def rank(column: str) -> str:
    """The rank of a verdict in a column; that of *unknown* for any other text."""
    cases = " ".join(f"WHEN '{verdict}' THEN {meaning.rank}" for verdict, meaning in MEANING.items())
    return f"CASE {column} {cases} ELSE {MEANING[Verdict.UNKNOWN].rank} END"


def verdict(expression: str) -> str:
    """The verdict of a rank; *not exercised* for none."""
    cases = " ".join(f"WHEN {meaning.rank} THEN '{one}'" for one, meaning in MEANING.items())
    return f"CASE {expression} {cases} ELSE '{Verdict.NOT_EXERCISED}' END"


def _verdict_of_side(column: str) -> str:
    """As `verdict`; empty where that side has no row."""
    return f"CASE WHEN {column} IS NULL THEN '' ELSE {verdict(column)} END"


def _top_of_side(column: str) -> str:
    return f"max(CASE WHEN {column} <> '' THEN {rank(column)} END)"


def _is_judged(column: str) -> str:
    return f"({column} {_HELD} OR {column} >= {_BROKEN})"


def _count(condition: str) -> str:
    """How many rows meet it; of no such row, and of nulls alone, every engine says 0."""
    return f"count(CASE WHEN {condition} THEN 1 END)"


def _total(*names: str) -> str:
    return ",\n  ".join(f"CAST(sum({name}) AS BIGINT) AS {name}" for name in names)


def _scored(grouped: str, key: str) -> str:
    """What follows from the counts of a grouped query: intervals, verdicts by their ranks."""
    n, share, z2 = "judged", "(CAST(broken AS DOUBLE) / judged)", f"{_Z * _Z:.15e}"
    middle = f"({share} + {z2} / (2 * {n})) / (1 + {z2} / {n})"
    spread = (
        f"{_Z:.15e} * sqrt({share} * (1 - {share}) / {n} + {z2} / (4 * CAST({n} AS DOUBLE) * {n})) "
        f"/ (1 + {z2} / {n})"
    )
    kept = [column.name for column in BY_NAME["verdicts"].columns]
    made = {
        "low": f"CASE WHEN {n} = 0 THEN NULL WHEN broken = 0 THEN 0.0e0 "
        f"ELSE round({middle} - {spread}, {DIGITS}) END",
        "high": f"CASE WHEN {n} = 0 THEN NULL WHEN broken = {n} THEN 1.0e0 "
        f"ELSE round({middle} + {spread}, {DIGITS}) END",
        "below": f"CASE WHEN {n} > 0 AND broken = 0 THEN round(1 - power(0.05e0, 1.0e0 / {n}), {DIGITS}) END",
        "verdict": verdict("top"),
        **{f"{side}_verdict": _verdict_of_side(f"{side}_top") for side in ("search", "rule")},
    }
    columns = ",\n  ".join(f"{made[name]} AS {name}" if name in made else name for name in kept)
    return f"SELECT {key},\n  {columns}\nFROM ({grouped})"


_VERDICT_KEY = ", ".join(BY_NAME["verdicts"].key)
_RUN_KEY = f"{_VERDICT_KEY}, run_id"
_ROWS = f"""
SELECT {_RUN_KEY}, max(top) AS top, max(CASE WHEN source <> 'rule' THEN top END) AS search_top,
  max(CASE WHEN source = 'rule' THEN top END) AS rule_top, sum(exercised) AS opportunities,
  sum(failures) AS violations, max(started) AS started,
  max(CASE WHEN coalesce(reason, '') <> '' THEN CAST(top AS STRING) || substr(reason, 1, {LONGEST_REASON})
    END) AS reason
FROM (SELECT {_RUN_KEY}, source, exercised, failures, reason, started, {rank("counted")} AS top FROM facts
  WHERE row IN ('search', 'verdict'))
GROUP BY {_RUN_KEY}
"""
"""What one run says of a requirement, all sources together; the reason begins with its rank."""

_VERDICTS = _scored(
    f"""
SELECT {_VERDICT_KEY}, count(*) AS runs,
  {", ".join(f"{_count(f'top = {MEANING[one].rank}')} AS {name}" for name, one in _COUNTED.items())},
  {_count(_is_judged("top"))} AS judged, {_count(f"top >= {_BROKEN}")} AS broken,
  {_count(_is_judged("search_top"))} AS search_judged, {_count(f"search_top >= {_BROKEN}")} AS search_broken,
  {_count(_is_judged("rule_top"))} AS rule_judged, {_count(f"rule_top >= {_BROKEN}")} AS rule_broken,
  CAST(sum(opportunities) AS BIGINT) AS opportunities, CAST(sum(violations) AS BIGINT) AS violations,
  max(top) AS top, max(search_top) AS search_top, max(rule_top) AS rule_top,
  CASE WHEN substr(max(reason), 1, 1) = CAST(max(top) AS STRING) THEN substr(max(reason), 2) ELSE ''
    END AS reason,
  min(started) AS first_started, max(started) AS last_started
FROM ({_ROWS}) GROUP BY {_VERDICT_KEY}
""",
    _VERDICT_KEY,
)

_VERSION_KEY = ", ".join(BY_NAME["versions"].key)
_SUMS = _total(
    "runs",
    *_COUNTED,
    *("judged", "broken", "search_judged", "search_broken", "rule_judged", "rule_broken"),
    *("opportunities", "violations"),
)
_OVER_DAYS = f"""
SELECT {_VERSION_KEY}, {_SUMS},
  max({rank("verdict")}) AS top, {_top_of_side("search_verdict")} AS search_top,
  {_top_of_side("rule_verdict")} AS rule_top, min(first_started) AS first_started,
  max(last_started) AS last_started,
  substr(max(CAST({rank("verdict")} AS STRING) || reason), 2) AS reason
FROM verdicts GROUP BY {_VERSION_KEY}
"""
_VERSIONS = f"""
SELECT *, CASE WHEN broken = 0 THEN 'never' WHEN broken = judged AND intermittent = 0 THEN 'always'
  ELSE 'sometimes' END AS repeats
FROM ({_scored(_OVER_DAYS, _VERSION_KEY)})
"""

_TREND = f"""
SELECT {_SUBJECT}, day, count(*) AS requirements,
  {_count(f"top = {MEANING[Verdict.PASS].rank}")} AS held,
  {_count(f"top = {MEANING[Verdict.DEVIATION].rank}")} AS deviated,
  {_count(f"top >= {_BROKEN}")} AS violated, {_count("NOT " + _is_judged("top"))} AS unjudged
FROM (SELECT requirement, {_SUBJECT}, day, max({rank("verdict")}) AS top FROM verdicts
  GROUP BY requirement, {_SUBJECT}, day)
GROUP BY {_SUBJECT}, day
"""

_CHANGES = f"""
WITH told AS (
  SELECT requirement, candidate, dialect, product_version, day, coalesce(started, '') AS started, run_id,
    {rank("counted")} AS top
  FROM facts WHERE row IN ('search', 'verdict')
), broken AS (
  SELECT *, row_number() OVER (PARTITION BY requirement, candidate, dialect
    ORDER BY started, product_version, run_id) AS place FROM told WHERE top >= {_BROKEN}
), first AS (
  SELECT requirement, candidate, dialect, started, product_version, day FROM broken WHERE place = 1
), held AS (
  SELECT requirement, candidate, dialect, run_id, max(product_version) AS product_version,
    max(started) AS started FROM told GROUP BY requirement, candidate, dialect, run_id
  HAVING max(top) {_HELD}
), before AS (
  SELECT h.requirement, h.candidate, h.dialect, h.started, h.product_version,
    row_number() OVER (PARTITION BY h.requirement, h.candidate, h.dialect
      ORDER BY h.started DESC, h.product_version DESC, h.run_id DESC) AS place
  FROM held h JOIN first f ON h.requirement = f.requirement AND h.candidate = f.candidate
    AND h.dialect = f.dialect AND h.started < f.started
), last AS (
  SELECT requirement, candidate, dialect, max(started) AS started FROM broken
  GROUP BY requirement, candidate, dialect
), last_held AS (
  SELECT requirement, candidate, dialect, max(started) AS started FROM held
  GROUP BY requirement, candidate, dialect
)
SELECT f.requirement, f.candidate, f.dialect, f.started AS first_broken,
  f.product_version AS first_broken_version, f.day AS first_broken_day,
  b.started AS held_before, b.product_version AS held_before_version,
  l.started AS last_broken, k.started AS last_held
FROM first f
LEFT JOIN before b ON f.requirement = b.requirement AND f.candidate = b.candidate AND f.dialect = b.dialect
  AND b.place = 1
LEFT JOIN last l ON f.requirement = l.requirement AND f.candidate = l.candidate AND f.dialect = l.dialect
LEFT JOIN last_held k ON f.requirement = k.requirement AND f.candidate = k.candidate AND f.dialect = k.dialect
"""

_SEEN = """
SELECT requirement, candidate, dialect, alike AS failure, source, coalesce(decision, 'rule') AS decision,
  coalesce(plan, '') AS plan, product_version, run_id, directory, coalesce(example, '') AS example, seq,
  coalesce(size, seq + 1) AS size, subject, expected, coalesce(seen, witness) AS seen, tried,
  CASE WHEN tried IS NULL THEN NULL ELSE failures END AS failed, coalesce(started, '') AS started
FROM facts WHERE row IN ('failure', 'witness')
"""
_FAILURES = f"""
SELECT requirement, candidate, dialect, failure, source, decision, plan, alike, runs, tried, failed,
  first_started, first_version, last_started, groups
FROM (
  SELECT *, count(*) OVER (PARTITION BY requirement, candidate, dialect) AS groups,
    row_number() OVER (PARTITION BY requirement, candidate, dialect
      ORDER BY runs DESC, smallest, failure) AS place
  FROM (
    SELECT requirement, candidate, dialect, failure, max(coalesce(source, 'rule')) AS source,
      max(decision) AS decision, max(plan) AS plan, count(*) AS alike, count(DISTINCT run_id) AS runs,
      CAST(sum(tried) AS BIGINT) AS tried, CAST(sum(failed) AS BIGINT) AS failed,
      min(started) AS first_started, substr(min(started || '|' || product_version), length(min(started)) + 2)
        AS first_version, max(started) AS last_started, min(size) AS smallest
    FROM ({_SEEN}) GROUP BY requirement, candidate, dialect, failure
  )
) WHERE place <= {MOST_GROUPS}
"""
_WITNESSES = f"""
SELECT s.requirement, s.candidate, s.dialect, s.failure, s.place, s.product_version, s.run_id, s.directory,
  s.example, s.seq, s.size, s.subject, s.expected, s.seen
FROM (
  SELECT *, row_number() OVER (PARTITION BY requirement, candidate, dialect, failure
    ORDER BY size, started, run_id, example, coalesce(seq, -1), coalesce(subject, ''), coalesce(seen, ''))
    AS place
  FROM ({_SEEN})
) s JOIN failures f ON s.requirement = f.requirement AND s.candidate = f.candidate AND s.dialect = f.dialect
  AND s.failure = f.failure
WHERE s.place <= {MOST_WITNESSES}
"""

_SKETCHES = f"""
SELECT measure, {_SUBJECT}, day, bin, CAST(sum(amount) AS BIGINT) AS amount FROM facts WHERE row = 'latency'
GROUP BY measure, {_SUBJECT}, day, bin
"""


def _quantile(share: float) -> str:
    middle = f"2 * power({GAMMA}e0, bin) / ({GAMMA}e0 + 1)"
    return f"round(min(CASE WHEN up_to >= {share}e0 * amount THEN {middle} END), 3)"


_TIME_KEY = ("measure", *SUBJECT)
_LATENCIES = f"""
WITH weighed AS (
  SELECT {", ".join(_TIME_KEY)}, round(sum(held) * sum(held) / sum(held * held), 3) AS effective_runs
  FROM (SELECT {", ".join(_TIME_KEY)}, run_id, CAST(sum(amount) AS DOUBLE) AS held FROM facts
    WHERE row = 'latency' GROUP BY {", ".join(_TIME_KEY)}, run_id)
  GROUP BY {", ".join(_TIME_KEY)}
), quantiles AS (
SELECT measure, {_SUBJECT}, max(amount) AS amount, {_quantile(0.5)} AS p50, {_quantile(0.95)} AS p95,
  {_quantile(0.99)} AS p99
FROM (
  SELECT measure, {_SUBJECT}, bin,
    CAST(sum(held) OVER (PARTITION BY measure, {_SUBJECT} ORDER BY bin
      ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) AS BIGINT) AS up_to,
    CAST(sum(held) OVER (PARTITION BY measure, {_SUBJECT}) AS BIGINT) AS amount
  FROM (SELECT measure, {_SUBJECT}, bin, sum(amount) AS held FROM sketches
    GROUP BY measure, {_SUBJECT}, bin)
) GROUP BY measure, {_SUBJECT}
)
SELECT {", ".join(f"q.{name}" for name in _TIME_KEY)}, q.amount, q.p50, q.p95, q.p99, w.effective_runs
FROM quantiles q JOIN weighed w ON {" AND ".join(f"q.{name} = w.{name}" for name in _TIME_KEY)}
"""

_DUPLICATES = f"""
SELECT {_SUBJECT}, day, count(*) AS runs, CAST(sum(amount) AS BIGINT) AS arrivals,
  CAST(sum(failures) AS BIGINT) AS repeated, CAST(sum(exercised) AS BIGINT) AS marked,
  {_count("failures > 0")} AS repeating, {_count("failures > exercised")} AS unmarked
FROM facts WHERE row = 'duplicates' GROUP BY {_SUBJECT}, day
"""

_UNTESTED = f"""
SELECT requirement, {_SUBJECT}, verdict AS why, reason, runs FROM versions
WHERE NOT {_is_judged(rank("verdict"))}
UNION ALL
SELECT r.requirement, s.candidate, s.product, s.product_version, s.dialect, 'without a row' AS why,
  'no run has a row about it' AS reason, CAST(0 AS BIGINT) AS runs
FROM requirements r
JOIN (SELECT DISTINCT {_SUBJECT} FROM facts WHERE row = 'run' AND run_id IS NOT NULL) s
  ON r.dialect = s.dialect
ANTI JOIN versions v ON r.requirement = v.requirement AND s.candidate = v.candidate AND s.product = v.product
  AND s.product_version = v.product_version AND s.dialect = v.dialect
"""

_RUNS = f"""
SELECT {_SUBJECT}, profile, day, count(*) AS runs, {_count("coalesce(reason, '') = ''")} AS whole,
  CAST(sum(examples) AS BIGINT) AS examples, CAST(sum(events) AS BIGINT) AS events,
  min(started) AS first_started, max(started) AS last_started
FROM facts WHERE row = 'run' AND run_id IS NOT NULL GROUP BY {_SUBJECT}, profile, day
"""

_SET_ASIDE = f"""
SELECT path, reason, flaws FROM (
  SELECT path, reason, count(*) OVER () AS flaws, row_number() OVER (ORDER BY path, reason) AS place
  FROM (SELECT DISTINCT path, reason FROM facts WHERE row = 'flaw')
) WHERE place <= {MOST_FLAWS}
"""

_TEXTS = {
    "verdicts": _VERDICTS,
    "versions": _VERSIONS,
    "trend": _TREND,
    "changes": _CHANGES,
    "failures": _FAILURES,
    "witnesses": _WITNESSES,
    "sketches": _SKETCHES,
    "latencies": _LATENCIES,
    "duplicates": _DUPLICATES,
    "untested": _UNTESTED,
    "runs": _RUNS,
    "set_aside": _SET_ASIDE,
}


def statements() -> dict[str, str]:
    """The statement of each table, in an order in which each reads only those before it."""
    named = {table.name: table for table in TABLES}
    return {
        name: f"SELECT * FROM ({text}) ORDER BY {', '.join(named[name].key)}" for name, text in _TEXTS.items()
    }
