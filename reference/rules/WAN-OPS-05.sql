-- requirement: WAN-OPS-05
-- view: black-box
-- empty-start: yes
-- only-with: queue_host
-- parts: feeds, unusual
-- columns: run_id, example, seq, kind, site, member, region, key, op, op_id, event, status, state_after
-- opportunity: an invalidate, distributed or local, that returned normally on a region that feeds another site, and
--   that site
-- violation: a listener there was told of it, or of some invalidation of the key, or a member there holds the entry
--   invalid, where nothing at that site made the key invalid or absent
WITH called AS (
  SELECT e.run_id, e.example, e.seq, e.member, e.region, e.key, e.op, e.op_id, f.to_site
  FROM ev e
  JOIN feeds f ON f.run_id = e.run_id AND f.example = e.example AND f.region = e.region AND f.from_site = e.site
  ANTI JOIN unusual u ON u.run_id = e.run_id AND u.example = e.example
  WHERE e.kind = 'op_end' AND e.op IN ('invalidate', 'local_invalidate') AND e.status = 'ok' AND e.key IS NOT NULL
),
own AS (
  SELECT DISTINCT run_id, example, site, region, coalesce(key, '') AS key
  FROM ev
  WHERE kind = 'op_begin' AND op IN ('invalidate', 'local_invalidate', 'invalidate_region', 'idle_invalidate',
    'expire_invalidate', 'expire_local_invalidate', 'expire_invalidate_region')
),
crossed AS (
  SELECT run_id, example, site, region, key, op_id, min(seq) AS seen_at, min('shown on ' || member) AS words
  FROM ev
  WHERE kind = 'listener' AND op IN ('invalidate', 'local_invalidate')
  GROUP BY run_id, example, site, region, key, op_id
),
spoilt AS (
  SELECT run_id, example, site, region, key, min(seq) AS seen_at, min('invalid on ' || member) AS words
  FROM ev
  WHERE (kind = 'listener' AND event = 'invalidate' AND op_id IS NULL)
    OR (kind IN ('content', 'final_value') AND state_after = 'invalid')
  GROUP BY run_id, example, site, region, key
),
foreign_made AS (
  SELECT s.run_id, s.example, s.site, s.region, s.key, s.seen_at, s.words
  FROM spoilt s
  ANTI JOIN own o ON o.run_id = s.run_id AND o.example = s.example AND o.site = s.site AND o.region = s.region
    AND (o.key = s.key OR o.key = '')
)
SELECT c.run_id, c.example, coalesce(x.seen_at, s.seen_at, c.seq) AS seq, c.region || '/' || c.key AS subject,
  c.op || ' on ' || c.member || ', at site ' || CAST(c.to_site AS STRING) || ': '
    || coalesce(x.words, s.words, 'nothing') AS witness,
  x.seen_at IS NOT NULL OR s.seen_at IS NOT NULL AS violated
FROM called c
LEFT JOIN crossed x ON x.run_id = c.run_id AND x.example = c.example AND x.op_id = c.op_id AND x.site = c.to_site
  AND x.region = c.region AND x.key = c.key
LEFT JOIN foreign_made s ON s.run_id = c.run_id AND s.example = c.example AND s.site = c.to_site
  AND s.region = c.region AND s.key = c.key
