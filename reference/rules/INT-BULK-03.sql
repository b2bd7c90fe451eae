-- requirement: INT-BULK-03
-- view: black-box
-- empty-start: no
-- only-with: client_start
-- columns: run_id, example, seq, kind, member, client, server, region, policy, key, state_after, amount
-- opportunity: a key covered by the last registration, behind which nothing was called, that another member holds
--   and the client's first server lacks, which does not host it in partitions; and what the client holds of it
-- violation: the client has the key
WITH hosts AS (
  SELECT DISTINCT run_id, example, member, region
  FROM ev
  WHERE kind = 'region_host' AND policy <> 'partition' AND member IS NOT NULL
),
clients AS (
  SELECT DISTINCT run_id, example, client
  FROM ev
  WHERE kind = 'client_start'
),
moments AS (
  SELECT run_id, example, seq, kind, member, client, region, key, state_after,
    max(CASE WHEN kind IN ('ri_begin', 'unregister_begin') THEN seq END) OVER (
      PARTITION BY run_id, example ORDER BY seq NULLS LAST ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW
    ) AS registered_at,
    max(CASE WHEN kind IN ('op_begin', 'crash', 'member_start', 'member_stop', 'gate_release') THEN seq END) OVER (
      PARTITION BY run_id, example ORDER BY seq NULLS LAST ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW
    ) AS busy_at
  FROM ev
  WHERE kind IN ('ri_begin', 'unregister_begin', 'op_begin', 'crash', 'member_start', 'member_stop', 'gate_release',
    'content', 'final_value')
),
seen AS (
  SELECT run_id, example, seq, member, client, region, key, state_after, registered_at
  FROM moments
  WHERE kind IN ('content', 'final_value') AND registered_at > busy_at
),
covered AS (
  SELECT k.run_id, k.example, k.client, k.region, k.key, max(b.seq) AS registered_at
  FROM ev k
  JOIN ev b ON b.run_id = k.run_id AND b.example = k.example AND b.client = k.client AND b.region = k.region
    AND b.kind = 'ri_begin' AND b.seq < k.seq
  WHERE k.kind = 'ri_key'
  GROUP BY k.run_id, k.example, k.client, k.region, k.key, k.seq
),
elsewhere AS (
  SELECT run_id, example, region, key, registered_at, min(member) AS holder
  FROM seen
  WHERE member IS NOT NULL AND state_after <> 'absent'
  GROUP BY run_id, example, region, key, registered_at
)
SELECT c.run_id, c.example, c.seq, c.region || '/' || c.key AS subject,
  c.client || ' holds ' || c.state_after || ' after registering; ' || s.server || ' holds nothing, ' || o.holder
    || ' does' AS witness,
  c.state_after <> 'absent' AS violated
FROM seen c
JOIN ev s ON s.run_id = c.run_id AND s.example = c.example AND s.client = c.client AND s.kind = 'may_serve'
  AND s.amount = 0
JOIN covered v ON v.run_id = c.run_id AND v.example = c.example AND v.client = c.client AND v.region = c.region
  AND v.key = c.key AND v.registered_at = c.registered_at
JOIN seen b ON b.run_id = c.run_id AND b.example = c.example AND b.member = s.server AND b.region = c.region
  AND b.key = c.key AND b.registered_at = c.registered_at AND b.state_after = 'absent'
JOIN elsewhere o ON o.run_id = c.run_id AND o.example = c.example AND o.region = c.region AND o.key = c.key
  AND o.registered_at = c.registered_at
SEMI JOIN clients k ON k.run_id = c.run_id AND k.example = c.example AND k.client = c.client
SEMI JOIN hosts h ON h.run_id = c.run_id AND h.example = c.example AND h.member = s.server AND h.region = c.region
