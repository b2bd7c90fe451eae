-- requirement: S2C-OPS-04
-- view: black-box
-- empty-start: no
-- only-with: client_start
-- columns: run_id, example, seq, kind, member, client, region, op, op_id, event, status, amount, durable_id, policy,
--   interest_kind, interest_spec
-- opportunity: a look at what a client with an interest in a region holds of it, behind a clear by a member that
--   ended well. No other call was under way then or since. No member is lost in the example, nothing is held up, and
--   no client is durable
-- violation: it still holds something; a listener shows more clears of the region than were called
WITH unclear AS (
  SELECT DISTINCT run_id, example
  FROM ev
  WHERE kind IN ('crash', 'member_stop', 'member_pause', 'region_close', 'gate_arm', 'ri_call', 'inject', 'link')
    OR (kind = 'client_start' AND durable_id IS NOT NULL) OR (kind = 'region_host' AND client IS NOT NULL AND policy = 'local')
    OR (kind = 'op_begin' AND op IN ('local_clear', 'destroy_region', 'local_destroy_region', 'tx_begin'))
),
in_turn AS (
  SELECT run_id, example, seq, kind, member, client, region, op, op_id, amount,
    max(CASE WHEN kind = 'op_begin' THEN seq END) OVER (
      PARTITION BY run_id, example ORDER BY seq NULLS LAST ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING
    ) AS busy_at,
    max(CASE WHEN kind = 'settle' AND amount = 0 THEN seq END) OVER (
      PARTITION BY run_id, example ORDER BY seq NULLS LAST ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING
    ) AS rested_at,
    sum(CASE kind WHEN 'op_begin' THEN 1 WHEN 'op_end' THEN -1 ELSE 0 END) OVER (
      PARTITION BY run_id, example ORDER BY seq NULLS LAST ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING
    ) AS under_way
  FROM ev
),
clears AS (
  SELECT b.run_id, b.example, b.member, b.region, b.seq AS called_at, e.seq AS over_at
  FROM in_turn b
  JOIN ev e ON e.run_id = b.run_id AND e.example = b.example AND e.op_id = b.op_id AND e.kind = 'op_end' AND e.status = 'ok'
  SEMI JOIN ev k ON k.run_id = b.run_id AND k.example = b.example AND k.kind = 'client_start'
  ANTI JOIN unclear u ON u.run_id = b.run_id AND u.example = b.example
  WHERE b.kind = 'op_begin' AND b.op = 'clear' AND b.client IS NULL AND coalesce(b.under_way, 0) = 0
),
interested AS (
  SELECT r.run_id, r.example, r.client, r.region, min(r.seq) AS from_at
  FROM ev r
  ANTI JOIN ev w ON w.run_id = r.run_id AND w.example = r.example AND w.client = r.client AND w.region = r.region
    AND w.kind = 'unregister_begin' AND w.interest_kind = r.interest_kind
    AND coalesce(w.interest_spec, '') = coalesce(r.interest_spec, '') AND w.seq > r.seq
  WHERE r.kind = 'ri_end' AND r.status = 'ok'
  GROUP BY r.run_id, r.example, r.client, r.region
),
counted AS (
  SELECT run_id, example, region, count(*) AS calls
  FROM ev
  WHERE kind = 'op_begin' AND op = 'clear'
  GROUP BY run_id, example, region
),
told AS (
  SELECT t.run_id, t.example, t.region, coalesce(t.client, t.member) AS holder, max(t.seq) AS seq, count(*) AS times
  FROM ev t
  ANTI JOIN unclear u ON u.run_id = t.run_id AND u.example = t.example
  SEMI JOIN ev k ON k.run_id = t.run_id AND k.example = t.example AND k.kind = 'client_start'
  WHERE t.kind = 'listener' AND t.event = 'clear'
  GROUP BY t.run_id, t.example, t.region, coalesce(t.client, t.member)
)
SELECT c.run_id, c.example, r.seq, c.region AS subject,
  r.client || ' holds ' || CAST(r.amount AS STRING) || ' entries after a clear of ' || c.member AS witness, r.amount > 0 AS violated
FROM clears c
JOIN in_turn r ON r.run_id = c.run_id AND r.example = c.example AND r.region = c.region AND r.kind = 'contents_read'
  AND r.client IS NOT NULL AND r.busy_at = c.called_at AND r.rested_at > c.over_at
SEMI JOIN interested i ON i.run_id = r.run_id AND i.example = r.example AND i.client = r.client AND i.region = r.region
  AND i.from_at < c.called_at
UNION ALL
SELECT t.run_id, t.example, t.seq, t.region AS subject,
  CAST(t.times AS STRING) || ' clears shown on ' || t.holder || ', ' || CAST(n.calls AS STRING) || ' called' AS witness,
  t.times > n.calls AS violated
FROM told t
JOIN counted n ON n.run_id = t.run_id AND n.example = t.example AND n.region = t.region
