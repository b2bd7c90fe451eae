-- requirement: CONS-RR-05
-- view: black-box
-- empty-start: no
-- columns: run_id, example, seq, kind, site, member, region, key, op, op_id, token, policy, scope, checks,
--   status, value, state_after
-- opportunity: what one member holds at the quiet end of a key whose last updates were concurrent, called on
--   two or more members of its site alone; acknowledged scope, replicated, checks on; nothing local,
--   region-wide or transactional called, no member lost
-- violation: it is the outcome of none of those updates
WITH hosts AS (
  SELECT DISTINCT run_id, example, member, region
  FROM ev
  WHERE kind = 'region_host' AND policy = 'replicate' AND scope = 'distributed_ack' AND coalesce(checks, true)
),
other AS (
  SELECT DISTINCT run_id, example, region
  FROM ev
  WHERE kind = 'op_begin' AND op NOT IN
    ('put', 'create', 'put_if_absent', 'replace', 'invalidate', 'destroy', 'get', 'contains_key')
),
lost AS (
  SELECT DISTINCT run_id, example
  FROM ev
  WHERE kind IN ('crash', 'member_stop', 'tx_begin')
),
answer AS (
  SELECT run_id, example, op_id, seq, status, value
  FROM ev
  WHERE kind = 'op_end'
),
called AS (
  SELECT c.run_id, c.example, c.region, c.key, c.site, c.member, c.seq AS called_at,
    coalesce(a.seq, 9223372036854775807) AS returned_at,
    CASE c.op WHEN 'destroy' THEN 'absent' WHEN 'invalidate' THEN 'invalid' ELSE 'valid ' || c.token END AS what,
    CASE
      WHEN a.status = 'ok' AND c.op = 'put_if_absent' AND a.value IS NOT NULL THEN 'none'
      WHEN a.status = 'ok' AND c.op IN ('put_if_absent', 'replace') AND a.value IS NULL THEN 'unsure'
      WHEN a.status = 'ok' THEN 'sure'
      WHEN a.status IN ('exists', 'absent', 'failed', 'refused') THEN 'none'
      ELSE 'unsure'
    END AS effect
  FROM ev c
  LEFT JOIN answer a ON a.run_id = c.run_id AND a.example = c.example AND a.op_id = c.op_id
  WHERE c.kind = 'op_begin' AND c.op IN ('put', 'create', 'put_if_absent', 'replace', 'invalidate', 'destroy')
),
timed AS (
  SELECT run_id, example, region, key, member, returned_at, what,
    max(CASE WHEN effect = 'sure' THEN called_at END) OVER (PARTITION BY run_id, example, region, key) AS last_call
  FROM called
  WHERE effect <> 'none'
),
latest AS (
  SELECT DISTINCT run_id, example, region, key, member, what
  FROM timed
  WHERE returned_at > last_call
),
contested AS (
  SELECT run_id, example, region, key
  FROM latest
  GROUP BY run_id, example, region, key
  HAVING count(DISTINCT member) > 1
),
sites AS (
  SELECT run_id, example, region, key, min(site) AS site
  FROM called
  GROUP BY run_id, example, region, key
  HAVING count(DISTINCT site) = 1
),
outcomes AS (
  SELECT DISTINCT run_id, example, region, key, what
  FROM latest
),
held AS (
  SELECT run_id, example, seq, site, member, region, key, state_after || coalesce(' ' || value, '') AS what
  FROM ev
  WHERE kind = 'final_value' AND member IS NOT NULL
)
SELECT h.run_id, h.example, h.seq, h.region || '/' || h.key AS subject,
  h.member || ' holds ' || h.what AS witness, a.what IS NULL AS violated
FROM held h
JOIN contested c ON c.run_id = h.run_id AND c.example = h.example AND c.region = h.region AND c.key = h.key
SEMI JOIN sites s ON s.run_id = h.run_id AND s.example = h.example AND s.region = h.region AND s.key = h.key
  AND s.site = h.site
SEMI JOIN hosts o ON o.run_id = h.run_id AND o.example = h.example AND o.member = h.member AND o.region = h.region
ANTI JOIN other x ON x.run_id = h.run_id AND x.example = h.example AND x.region = h.region
ANTI JOIN lost l ON l.run_id = h.run_id AND l.example = h.example
LEFT JOIN outcomes a ON a.run_id = h.run_id AND a.example = h.example AND a.region = h.region
  AND a.key = h.key AND a.what = h.what
