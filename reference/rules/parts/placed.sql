-- part: Who holds a key of a partitioned region, as the candidate said it; and in which examples members died.
-- columns: run_id, example, seq, kind, region, key, member, role
-- needs:
placed AS (
  SELECT run_id, example, region, key, member, role, min(seq) AS placed_at, max(seq) AS still_at
  FROM ev
  WHERE kind = 'role' AND key IS NOT NULL
  GROUP BY run_id, example, region, key, member, role
),
deaths AS (
  SELECT run_id, example, member, min(seq) AS died_at
  FROM ev
  WHERE kind = 'crash'
  GROUP BY run_id, example, member
)
