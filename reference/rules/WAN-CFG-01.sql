-- requirement: WAN-CFG-01
-- view: black-box
-- empty-start: no
-- only-with: queue_host
-- parts: feeds, due
-- columns: run_id, example, seq, kind, site, member, region, key, op, op_id, event, status, queue
-- opportunity: a put, create or destroy that returned normally and each site to which no queue attached to
--   its region leads, in an example with some queue; and a region beside another one on the same queue, with
--   operations that had to arrive
-- violation: a listener there was told of it; none of the region's operations was shown there
WITH led AS (
  SELECT DISTINCT run_id, example, region, to_site
  FROM feeds
),
sites AS (
  SELECT DISTINCT run_id, example, site
  FROM ev
  WHERE kind = 'member_start'
),
ended AS (
  SELECT run_id, example, seq, site, member, region, key, op, op_id
  FROM ev
  WHERE kind = 'op_end' AND status = 'ok' AND op IN ('put', 'create', 'destroy') AND member IS NOT NULL
),
destroyed AS (
  SELECT DISTINCT run_id, example, region, key, site
  FROM ev
  WHERE kind = 'op_begin' AND op IN ('destroy', 'remove_if_equal', 'local_destroy')
),
unnamed AS (
  SELECT run_id, example, site, region, key
  FROM nameless
  ANTI JOIN destroyed USING (run_id, example, region, key, site)
),
shared AS (
  SELECT run_id, example, queue
  FROM feeds
  GROUP BY run_id, example, queue
  HAVING count(DISTINCT region) > 1
)
SELECT e.run_id, e.example, coalesce(n.shown_at, e.seq) AS seq, e.region || '/' || e.key AS subject,
  e.op || ' on ' || e.member || CASE WHEN n.op_id IS NULL AND u.key IS NULL THEN ' not shown' ELSE ' shown' END
    || ' at site ' || CAST(t.site AS STRING) || ', where no queue of the region leads' AS witness,
  n.op_id IS NOT NULL OR u.key IS NOT NULL AS violated
FROM ended e
JOIN sites t ON t.run_id = e.run_id AND t.example = e.example AND t.site <> e.site
SEMI JOIN led x ON x.run_id = e.run_id AND x.example = e.example
ANTI JOIN led l ON l.run_id = e.run_id AND l.example = e.example AND l.region = e.region AND l.to_site = t.site
LEFT JOIN named n ON n.run_id = e.run_id AND n.example = e.example AND n.op_id = e.op_id AND n.site = t.site
LEFT JOIN unnamed u ON u.run_id = e.run_id AND u.example = e.example AND u.region = e.region AND u.key = e.key
  AND u.site = t.site AND e.op = 'destroy'
UNION ALL
SELECT d.run_id, d.example, max(d.rest_at) AS seq, d.region AS subject,
  CAST(count(d.shown_at) AS STRING) || ' of ' || CAST(count(d.op_id) AS STRING) || ' operations shown at site '
    || CAST(d.to_site AS STRING) AS witness,
  count(d.shown_at) = 0 AS violated
FROM due d
SEMI JOIN shared s ON s.run_id = d.run_id AND s.example = d.example AND s.queue = d.queue
GROUP BY d.run_id, d.example, d.region, d.to_site
