-- requirement: CONS-PR-01
-- view: black-box
-- empty-start: no
-- only-with: role
-- parts: placed
-- columns: seq, region, key, member, role, name, op_id, question
-- opportunity: an update of a key of a partitioned region that stands in the listener of a redundant copy, and what the
--   key's primary is read to hold from then on; examples in which a member dies tell nothing
-- violation: the primary holds what had returned before the update was called
WITH standing AS (
  SELECT g.run_id, g.example, g.region, g.key, g.op_id, g.member, min(g.seq) AS parked_at
  FROM ev g
  JOIN placed c ON c.run_id = g.run_id AND c.example = g.example AND c.region = g.region AND c.key = g.key
    AND c.member = g.member AND c.role = 'secondary'
  WHERE g.kind = 'gate_park' AND g.name IS NULL
  GROUP BY g.run_id, g.example, g.region, g.key, g.op_id, g.member
),
begun AS (
  SELECT run_id, example, op_id, min(seq) AS called_at FROM ev WHERE kind = 'op_begin' GROUP BY run_id, example, op_id
),
ended AS (
  SELECT run_id, example, op_id, min(seq) AS ended_at FROM ev WHERE kind = 'op_end' GROUP BY run_id, example, op_id
),
asked AS (
  SELECT run_id, example, question, min(seq) AS asked_at
  FROM ev
  WHERE kind = 'contents_asked'
  GROUP BY run_id, example, question
)
SELECT s.run_id, s.example, r.seq, s.region || '/' || s.key AS subject,
  'the listener of ' || s.member || ' was told of it before ' || p.member || ', which is primary, had it' AS witness,
  coalesce(e.ended_at < b.called_at, false) AS violated
FROM standing s
JOIN begun b ON b.run_id = s.run_id AND b.example = s.example AND b.op_id = s.op_id
JOIN placed p ON p.run_id = s.run_id AND p.example = s.example AND p.region = s.region AND p.key = s.key AND p.role = 'primary'
JOIN ev r ON r.run_id = s.run_id AND r.example = s.example AND r.region = s.region AND r.key = s.key
  AND r.member = p.member AND r.kind IN ('content', 'final_value') AND r.op_id IS NOT NULL
JOIN asked a ON a.run_id = r.run_id AND a.example = r.example AND a.question = r.question AND a.asked_at > s.parked_at
LEFT JOIN ended e ON e.run_id = r.run_id AND e.example = r.example AND e.op_id = r.op_id
ANTI JOIN deaths d ON d.run_id = s.run_id AND d.example = s.example
