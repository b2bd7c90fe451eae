-- requirement: TOMB-INVIS-01
-- view: black-box
-- empty-start: no
-- columns: run_id, example, seq, kind, member, client, region, key, op, op_id, status, state_after, policy, checks
-- opportunity: a key of a replicated region with checks on, read on a member behind the return of a member's destroy of it
--   that ended well, and without a value; it was not invalidated, nor the region, nor was anything expired
-- violation: the key is there
WITH hosts AS (
  SELECT DISTINCT run_id, example, member, region
  FROM ev
  WHERE kind = 'region_host' AND policy = 'replicate' AND coalesce(checks, true)
),
destroyed AS (
  SELECT d.run_id, d.example, d.region, d.key, min(e.seq) AS returned_at
  FROM ev d
  JOIN ev e ON e.run_id = d.run_id AND e.example = d.example AND e.op_id = d.op_id AND e.kind = 'op_end' AND e.status = 'ok'
  WHERE d.kind = 'op_begin' AND d.op = 'destroy' AND d.client IS NULL
  GROUP BY d.run_id, d.example, d.region, d.key
),
emptied AS (
  SELECT DISTINCT run_id, example, region
  FROM ev
  WHERE kind = 'op_begin' AND op IN ('invalidate', 'local_invalidate', 'invalidate_region', 'expire_invalidate',
    'idle_invalidate', 'expire_invalidate_region')
)
SELECT r.run_id, r.example, r.seq, r.region || '/' || r.key AS subject,
  r.member || ' shows it as ' || r.state_after || ' behind its destroy' AS witness,
  r.state_after = 'invalid' AS violated
FROM ev r
JOIN destroyed d ON d.run_id = r.run_id AND d.example = r.example AND d.region = r.region AND d.key = r.key
  AND d.returned_at < r.seq
SEMI JOIN hosts h ON h.run_id = r.run_id AND h.example = r.example AND h.member = r.member AND h.region = r.region
ANTI JOIN emptied m ON m.run_id = r.run_id AND m.example = r.example AND m.region = r.region
WHERE r.kind IN ('content', 'final_value') AND r.state_after IN ('absent', 'invalid')
