-- requirement: CONS-PR-05
-- view: black-box
-- empty-start: no
-- only-with: crash
-- parts: placed
-- columns: seq, region, key, member, role, op_id, op, state_after, value
-- opportunity: a key of a partitioned region whose primary died while an update of it was under way, read at the quiet end
--   on two or more of the members that are said to hold it behind the last death
-- violation: they do not hold the same
WITH last_death AS (
  SELECT run_id, example, max(died_at) AS died_at FROM deaths GROUP BY run_id, example
),
under_way AS (
  SELECT b.run_id, b.example, b.op_id, b.region, b.key, b.seq AS called_at, min(e.seq) AS ended_at
  FROM ev b
  LEFT JOIN ev e ON e.run_id = b.run_id AND e.example = b.example AND e.op_id = b.op_id AND e.kind = 'op_end'
  WHERE b.kind = 'op_begin' AND b.op IN ('put', 'create', 'put_if_absent', 'replace', 'invalidate', 'destroy')
  GROUP BY b.run_id, b.example, b.op_id, b.region, b.key, b.seq
),
struck AS (
  SELECT DISTINCT u.run_id, u.example, u.region, u.key
  FROM under_way u
  JOIN deaths d ON d.run_id = u.run_id AND d.example = u.example AND d.died_at > u.called_at
  JOIN placed p ON p.run_id = u.run_id AND p.example = u.example AND p.region = u.region AND p.key = u.key
    AND p.member = d.member AND p.role = 'primary'
  WHERE u.ended_at IS NULL OR u.ended_at > d.died_at
)
SELECT f.run_id, f.example, max(f.seq) AS seq, f.region || '/' || f.key AS subject,
  min(f.state_after || coalesce(' ' || f.value, '') || ' on ' || f.member) || ', '
    || max(f.state_after || coalesce(' ' || f.value, '') || ' on ' || f.member) AS witness,
  min(f.state_after || coalesce(' ' || f.value, '')) <> max(f.state_after || coalesce(' ' || f.value, '')) AS violated
FROM ev f
JOIN struck s ON s.run_id = f.run_id AND s.example = f.example AND s.region = f.region AND s.key = f.key
JOIN last_death d ON d.run_id = f.run_id AND d.example = f.example
JOIN placed p ON p.run_id = f.run_id AND p.example = f.example AND p.region = f.region AND p.key = f.key
  AND p.member = f.member AND p.still_at > d.died_at
WHERE f.kind = 'final_value'
GROUP BY f.run_id, f.example, f.region, f.key
HAVING count(DISTINCT f.member) > 1
