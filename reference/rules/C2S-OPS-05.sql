-- requirement: C2S-OPS-05
-- view: black-box
-- empty-start: no
-- only-with: client_start
-- columns: run_id, example, seq, kind, member, client, region, op, op_id, status, amount
-- opportunity: a look at a member's copy of a region behind a client's clear of it that was called at rest
--   and ended well, with nothing called on the region since and no member lost or started
-- violation: it still holds something
WITH passed_by AS (
  SELECT run_id, example, seq, kind, member, client, region, op, op_id, amount,
    max(CASE WHEN kind = 'op_begin' OR kind IN ('crash', 'member_stop', 'region_close', 'gate_arm') THEN seq END) OVER (
      PARTITION BY run_id, example ORDER BY seq NULLS LAST ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING
    ) AS busy_at,
    max(CASE WHEN kind = 'settle' AND amount = 0 THEN seq END) OVER (
      PARTITION BY run_id, example ORDER BY seq NULLS LAST ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING
    ) AS rested_at
  FROM ev
  WHERE kind IN ('op_begin', 'crash', 'member_stop', 'region_close', 'gate_arm', 'settle', 'contents_read')
),
clears AS (
  SELECT b.run_id, b.example, b.client, b.region, b.seq AS called_at, e.seq AS over_at
  FROM passed_by b
  JOIN ev e ON e.run_id = b.run_id AND e.example = b.example AND e.op_id = b.op_id AND e.kind = 'op_end' AND e.status = 'ok'
  SEMI JOIN ev k ON k.run_id = b.run_id AND k.example = b.example AND k.kind = 'client_start' AND k.client = b.client
  WHERE b.kind = 'op_begin' AND b.op = 'clear' AND b.client IS NOT NULL AND b.rested_at > coalesce(b.busy_at, -1)
)
SELECT c.run_id, c.example, r.seq, c.region AS subject,
  r.member || ' holds ' || CAST(r.amount AS STRING) || ' entries after a clear of ' || c.client AS witness,
  r.amount > 0 AS violated
FROM clears c
JOIN passed_by r ON r.run_id = c.run_id AND r.example = c.example AND r.region = c.region AND r.kind = 'contents_read'
  AND r.member IS NOT NULL AND r.seq > c.over_at AND r.busy_at = c.called_at
