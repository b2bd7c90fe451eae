-- requirement: C2S-OPS-07
-- view: black-box
-- empty-start: no
-- only-with: client_start
-- columns: run_id, example, seq, kind, member, client, region, key, op, op_id, status, state_after
-- opportunity: a key that a member was seen to hold with a value at rest before a client invalidated its
--   whole region, nothing else being called between that look and the next one at the member; in an example
--   without gates in which no member is lost
-- violation: the member holds it without a value then
WITH passed_by AS (
  SELECT run_id, example, seq, kind, member, client, region, key, op, op_id, state_after,
    max(CASE WHEN kind = 'op_begin' THEN seq END) OVER (
      PARTITION BY run_id, example ORDER BY seq NULLS LAST ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING
    ) AS busy_at,
    max(CASE WHEN kind = 'settle' THEN seq END) OVER (
      PARTITION BY run_id, example ORDER BY seq NULLS LAST ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING
    ) AS rested_at,
    count(CASE WHEN kind = 'op_begin' THEN 1 END) OVER (
      PARTITION BY run_id, example ORDER BY seq NULLS LAST ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING
    ) AS calls
  FROM ev
  WHERE kind IN ('op_begin', 'settle', 'content', 'final_value')
),
disturbed AS (
  SELECT DISTINCT run_id, example
  FROM ev
  WHERE kind IN ('crash', 'member_stop', 'region_close', 'gate_arm')
),
held_then AS (
  SELECT p.run_id, p.example, p.seq, p.member, p.region, p.key, p.state_after, p.calls
  FROM passed_by p
  ANTI JOIN disturbed d ON d.run_id = p.run_id AND d.example = p.example
  WHERE p.kind IN ('content', 'final_value') AND p.member IS NOT NULL AND p.rested_at > coalesce(p.busy_at, -1)
),
swept_away AS (
  SELECT b.run_id, b.example, b.client, b.region, b.calls
  FROM passed_by b
  JOIN ev e ON e.run_id = b.run_id AND e.example = b.example AND e.op_id = b.op_id AND e.kind = 'op_end' AND e.status = 'ok'
  SEMI JOIN ev k ON k.run_id = b.run_id AND k.example = b.example AND k.kind = 'client_start' AND k.client = b.client
  WHERE b.kind = 'op_begin' AND b.op IN ('invalidate_region', 'local_invalidate_region') AND b.client IS NOT NULL
)
SELECT s.run_id, s.example, n.seq, s.region || '/' || n.key AS subject,
  n.member || ' holds it ' || n.state_after || ' after ' || s.client || ' invalidated its region' AS witness,
  n.state_after = 'invalid' AS violated
FROM swept_away s
JOIN held_then o ON o.run_id = s.run_id AND o.example = s.example AND o.region = s.region AND o.calls = s.calls
  AND o.state_after = 'valid'
JOIN held_then n ON n.run_id = s.run_id AND n.example = s.example AND n.member = o.member AND n.region = s.region
  AND n.key = o.key AND n.calls = s.calls + 1
