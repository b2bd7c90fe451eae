-- part: Who holds a key of a partitioned region, as the candidate said it, where no primary moves between living
--   members; and in which examples members died.
-- columns: run_id, example, seq, kind, region, key, member, role
-- needs:
moves AS (
  SELECT DISTINCT run_id, example
  FROM ev
  WHERE kind = 'role' AND role = 'moved'
),
placed AS (
  SELECT r.run_id, r.example, r.region, r.key, r.member, r.role, min(r.seq) AS placed_at, max(r.seq) AS still_at
  FROM ev r
  ANTI JOIN moves m ON m.run_id = r.run_id AND m.example = r.example
  WHERE r.kind = 'role' AND r.key IS NOT NULL
  GROUP BY r.run_id, r.example, r.region, r.key, r.member, r.role
),
deaths AS (
  SELECT run_id, example, member, min(seq) AS died_at
  FROM ev
  WHERE kind = 'crash'
  GROUP BY run_id, example, member
)
