-- requirement: WAN-OPS-08
-- view: black-box
-- empty-start: no
-- only-with: queue_host
-- parts: feeds
-- columns: run_id, example, seq, kind, site, member, region, op, event, status, question
-- opportunity: a clear, invalidate or destroy of a whole region, distributed or local, that returned normally at a
--   site that feeds another one; and that site. There nothing of the kind was called on the region
-- violation: a listener there shows such a change of the region, or a member there has the region no more
WITH called AS (
  SELECT e.run_id, e.example, e.seq, e.member, e.region, e.op, f.to_site
  FROM ev e
  JOIN feeds f ON f.run_id = e.run_id AND f.example = e.example AND f.region = e.region AND f.from_site = e.site
  WHERE e.kind = 'op_end' AND e.status = 'ok'
    AND e.op IN ('clear', 'invalidate_region', 'destroy_region', 'local_clear', 'local_invalidate_region', 'local_destroy_region')
),
own AS (
  SELECT DISTINCT run_id, example, site, region
  FROM ev
  WHERE kind = 'op_begin' AND op IN ('clear', 'invalidate_region', 'destroy_region', 'local_clear', 'local_invalidate_region',
    'local_destroy_region', 'expire_invalidate_region')
),
given_up AS (
  SELECT DISTINCT run_id, example
  FROM ev
  WHERE kind = 'region_close' AND question IS NULL
),
changed AS (
  SELECT e.run_id, e.example, e.site, e.region, min(e.seq) AS seen_at, min(e.kind || ' on ' || e.member) AS words
  FROM ev e
  ANTI JOIN given_up g ON g.run_id = e.run_id AND g.example = e.example AND e.kind = 'region_close'
  WHERE (e.kind = 'listener' AND e.event IN ('clear', 'region_invalidate', 'region_destroy'))
    OR (e.kind = 'region_close' AND e.question IS NOT NULL)
  GROUP BY e.run_id, e.example, e.site, e.region
)
SELECT c.run_id, c.example, coalesce(x.seen_at, c.seq) AS seq, c.region AS subject,
  c.op || ' on ' || c.member || ', at site ' || CAST(c.to_site AS STRING) || ': ' || coalesce(x.words, 'nothing') AS witness,
  x.seen_at IS NOT NULL AS violated
FROM called c
ANTI JOIN own o ON o.run_id = c.run_id AND o.example = c.example AND o.site = c.to_site AND o.region = c.region
LEFT JOIN changed x ON x.run_id = c.run_id AND x.example = c.example AND x.site = c.to_site AND x.region = c.region
