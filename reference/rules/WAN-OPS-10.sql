-- requirement: WAN-OPS-10
-- view: black-box
-- empty-start: no
-- only-with: queue_host
-- parts: feeds, changes
-- columns: run_id, example, seq, kind, site, member, region, key, op, op_id, event
-- opportunity: a call on a region that feeds another site which certainly had no effect by its own answer,
--   and that site
-- violation: a listener there was told of it, or of a destroy of the key though none had an effect
WITH told AS (
  SELECT run_id, example, site, op_id, min(seq) AS seen_at
  FROM ev
  WHERE kind = 'listener' AND op_id IS NOT NULL
  GROUP BY run_id, example, site, op_id
),
removed AS (
  SELECT DISTINCT run_id, example, region, coalesce(key, '') AS key
  FROM ev
  WHERE kind = 'op_begin' AND (key IS NULL OR op IN ('local_destroy', 'remove_if_equal'))
  UNION
  SELECT DISTINCT run_id, example, region, key
  FROM changes
  WHERE op = 'destroy' AND effect <> 'none'
),
unnamed AS (
  SELECT e.run_id, e.example, e.site, e.region, e.key, min(e.seq) AS seen_at
  FROM ev e
  ANTI JOIN removed r ON r.run_id = e.run_id AND r.example = e.example AND r.region = e.region
    AND (r.key = e.key OR r.key = '')
  WHERE e.kind = 'listener' AND e.event = 'destroy' AND e.op_id IS NULL
  GROUP BY e.run_id, e.example, e.site, e.region, e.key
)
SELECT c.run_id, c.example, coalesce(t.seen_at, u.seen_at, c.returned_at) AS seq, c.region || '/' || c.key AS subject,
  c.op || ' on ' || c.member || ' had no effect'
    || CASE WHEN t.seen_at IS NULL AND u.seen_at IS NULL THEN '' ELSE ', shown at site ' || CAST(f.to_site AS STRING) END
    AS witness,
  t.seen_at IS NOT NULL OR u.seen_at IS NOT NULL AS violated
FROM changes c
JOIN feeds f ON f.run_id = c.run_id AND f.example = c.example AND f.region = c.region AND f.from_site = c.site
LEFT JOIN told t ON t.run_id = c.run_id AND t.example = c.example AND t.op_id = c.op_id AND t.site = f.to_site
LEFT JOIN unnamed u ON u.run_id = c.run_id AND u.example = c.example AND u.region = c.region AND u.key = c.key
  AND u.site = f.to_site AND c.op = 'destroy'
WHERE c.effect = 'none'
