-- requirement: VER-DUP-01
-- view: black-box
-- empty-start: no
-- only-with: redeliver
-- columns: run_id, example, seq, kind, member, client, region, key, op, op_id, listener, policy, checks
-- opportunity: an operation whose message was delivered to a replicate with checks once more, and what that
--   replicate's listener was told of it; not of keys that a destroy or a local operation was called on, nor
--   where whole regions were changed, or a member lost or started again: an operation without a record comes
--   as new
-- violation: the listener was told of it more than once
WITH again AS (
  SELECT run_id, example, member, op_id, min(seq) AS seq
  FROM ev
  WHERE kind = 'redeliver'
  GROUP BY run_id, example, member, op_id
),
hosts AS (
  SELECT DISTINCT run_id, example, member, region
  FROM ev
  WHERE kind = 'region_host' AND client IS NULL AND policy = 'replicate' AND coalesce(checks, true)
),
forgotten AS (
  SELECT DISTINCT run_id, example, region, key
  FROM ev
  WHERE kind = 'op_begin' AND op IN ('destroy', 'remove_if_equal', 'local_destroy', 'local_invalidate', 'expire_destroy', 'idle_destroy')
),
unsettling AS (
  SELECT DISTINCT run_id, example
  FROM ev
  WHERE kind IN ('crash', 'member_stop', 'region_close')
    OR (kind = 'op_begin' AND op IN ('remove_all', 'clear', 'destroy_region', 'local_clear', 'local_destroy_region'))
),
told AS (
  SELECT e.run_id, e.example, e.member, e.region, e.key, e.op_id, coalesce(e.listener, '') AS listener,
    max(a.seq) AS seq, count(*) AS times
  FROM ev e
  JOIN again a ON a.run_id = e.run_id AND a.example = e.example AND a.member = e.member AND a.op_id = e.op_id
  WHERE e.kind = 'listener'
  GROUP BY e.run_id, e.example, e.member, e.region, e.key, e.op_id, coalesce(e.listener, '')
)
SELECT t.run_id, t.example, t.seq, t.region || '/' || t.key AS subject,
  t.member || ' was told of operation ' || CAST(t.op_id AS STRING)
    || CASE WHEN t.times > 1 THEN ' more than once' ELSE ' once' END AS witness,
  t.times > 1 AS violated
FROM told t
SEMI JOIN hosts h ON h.run_id = t.run_id AND h.example = t.example AND h.member = t.member AND h.region = t.region
ANTI JOIN forgotten f ON f.run_id = t.run_id AND f.example = t.example AND f.region = t.region AND f.key = t.key
ANTI JOIN unsettling u ON u.run_id = t.run_id AND u.example = t.example
