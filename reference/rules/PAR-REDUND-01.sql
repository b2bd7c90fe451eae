-- requirement: PAR-REDUND-01
-- view: black-box
-- empty-start: no
-- only-with: queue_host
-- parts: placed, gone
-- columns: run_id, example, seq, kind, site, member, region, key, name, op_id, queue, parallel
-- opportunity: an operation that stands in the listener of a redundant copy, of a region that feeds a parallel queue
-- violation: a listener of the queue, or a member of the other site, receives it meanwhile
WITH parallel_regions AS (
  SELECT DISTINCT a.run_id, a.example, a.region, a.queue, h.site
  FROM ev a
  JOIN ev h ON h.run_id = a.run_id AND h.example = a.example AND h.queue = a.queue AND h.kind = 'queue_host' AND h.parallel
  WHERE a.kind = 'attach'
),
stands AS (
  SELECT g.run_id, g.example, g.member, g.region, g.key, g.op_id, g.seq AS parked_at, q.site, q.queue,
    coalesce(min(r.seq), 9223372036854775807) AS until_at
  FROM ev g
  JOIN parallel_regions q ON q.run_id = g.run_id AND q.example = g.example AND q.region = g.region AND q.site = g.site
  JOIN placed p ON p.run_id = g.run_id AND p.example = g.example AND p.region = g.region AND p.key = g.key
    AND p.member = g.member AND p.role = 'secondary' AND p.placed_at < g.seq
  LEFT JOIN ev r ON r.run_id = g.run_id AND r.example = g.example AND r.kind = 'gate_release' AND r.op_id = g.op_id
    AND r.member = g.member
  ANTI JOIN gone x ON x.run_id = g.run_id AND x.example = g.example
  WHERE g.kind = 'gate_park' AND g.name IS NULL
  GROUP BY g.run_id, g.example, g.member, g.region, g.key, g.op_id, g.seq, q.site, q.queue
),
early AS (
  SELECT s.run_id, s.example, s.op_id, s.queue, min(t.seq) AS shown_at
  FROM stands s
  JOIN ev t ON t.run_id = s.run_id AND t.example = s.example AND t.op_id = s.op_id AND t.seq < s.until_at
    AND ((t.kind = 'async_event' AND t.queue = s.queue) OR (t.kind = 'listener' AND t.site <> s.site))
  GROUP BY s.run_id, s.example, s.op_id, s.queue
)
SELECT s.run_id, s.example, coalesce(e.shown_at, s.parked_at) AS seq, s.queue || ', ' || s.region || '/' || s.key AS subject,
  'operation ' || CAST(s.op_id AS STRING) || ' stands in the copy on ' || s.member
    || CASE WHEN e.shown_at IS NULL THEN '' ELSE ', and was dispatched' END AS witness,
  e.shown_at IS NOT NULL AS violated
FROM stands s
LEFT JOIN early e ON e.run_id = s.run_id AND e.example = s.example AND e.op_id = s.op_id AND e.queue = s.queue
