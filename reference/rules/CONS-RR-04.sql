-- requirement: CONS-RR-04
-- view: black-box
-- empty-start: no
-- parts: parting
-- columns: run_id, example, seq, kind, site, member, client, region, key, op, policy, checks, state_after, value, tx_id,
--   op_id, status
-- opportunity: a key of a replicated region with checks on that some operation changed, read at the quiet end
--   on two or more members of a site, none of which was lost; keys with local operations are left out, their
--   copies may differ, and so are keys written at several sites and by several members of one, or more than once
--   at one of them where events may have been sent again, and keys
--   destroyed where time was let pass: what is older than a tombstone that was collected may come late; what a
--   transaction has changed is TX-VER-01's and TX-CONV-01's, and regions that a member has cleared are CLEAR-CONV-01's
-- violation: two members do not hold the same
WITH hosts AS (
  SELECT run_id, example, site, member, region
  FROM ev
  WHERE kind = 'region_host' AND policy = 'replicate' AND coalesce(checks, true)
),
changed AS (
  SELECT DISTINCT run_id, example, region, key
  FROM ev
  WHERE kind = 'op_begin' AND op IN ('put', 'create', 'put_if_absent', 'replace', 'invalidate', 'destroy')
),
kept_local AS (
  SELECT DISTINCT run_id, example, region, key
  FROM ev
  WHERE kind = 'op_begin' AND op IN ('local_destroy', 'local_invalidate', 'expire_local_destroy', 'expire_local_invalidate', 'evict')
),
transacted AS (
  SELECT DISTINCT run_id, example, region, key
  FROM ev
  WHERE kind = 'op_begin' AND tx_id IS NOT NULL
),
cleared_local AS (
  SELECT DISTINCT run_id, example, region
  FROM ev
  WHERE kind = 'op_begin' AND op = 'local_clear'
),
cleared AS (
  SELECT DISTINCT c.run_id, c.example, c.site, c.region
  FROM ev c
  JOIN ev a ON a.run_id = c.run_id AND a.example = c.example AND a.op_id = c.op_id AND a.kind = 'op_end' AND a.status = 'ok'
  WHERE c.kind = 'op_begin' AND c.op = 'clear' AND c.client IS NULL
),
aged AS (
  SELECT DISTINCT d.run_id, d.example, d.region, d.key
  FROM ev d
  JOIN ev a ON a.run_id = d.run_id AND a.example = d.example AND a.kind = 'advance'
  WHERE d.kind = 'op_begin' AND d.op = 'destroy'
),
lost AS (
  SELECT DISTINCT run_id, example, site
  FROM ev
  WHERE kind IN ('crash', 'member_stop')
),
held AS (
  SELECT run_id, example, site, member, region, key, seq, state_after || coalesce(' ' || value, '') AS what
  FROM ev
  WHERE kind = 'final_value'
)
SELECT run_id, example, max(seq) AS seq, region || '/' || key AS subject,
  min(what || ' on ' || member) || ', ' || max(what || ' on ' || member) AS witness,
  min(what) <> max(what) AS violated
FROM held
JOIN hosts USING (run_id, example, site, member, region)
JOIN changed USING (run_id, example, region, key)
ANTI JOIN kept_local USING (run_id, example, region, key)
ANTI JOIN transacted USING (run_id, example, region, key)
ANTI JOIN cleared_local USING (run_id, example, region)
ANTI JOIN cleared USING (run_id, example, site, region)
ANTI JOIN aged USING (run_id, example, region, key)
ANTI JOIN parting USING (run_id, example, region, key)
ANTI JOIN lost USING (run_id, example, site)
GROUP BY run_id, example, site, region, key
HAVING count(DISTINCT member) > 1
