-- part: Such operations that must have reached the other site at rest, and when they were first shown there: a sender
--   and an observed member of the other site are left. An event without a token may be any of its kind and key. A
--   destroy of a key that was invalidated may find nothing there: invalidations do not cross.
-- columns: run_id, example, seq, kind, site, member, region, key, op_id, event, queue
-- needs: fed, rest, changes
runs AS (
  SELECT DISTINCT h.run_id, h.example, h.queue
  FROM ev h
  ANTI JOIN gone g ON g.run_id = h.run_id AND g.example = h.example AND g.member = h.member
  WHERE h.kind = 'queue_host'
),
observers AS (
  SELECT DISTINCT o.run_id, o.example, o.site
  FROM ev o
  ANTI JOIN gone g ON g.run_id = o.run_id AND g.example = o.example AND g.member = o.member
  WHERE o.kind = 'observed'
),
named AS (
  SELECT run_id, example, site, op_id, min(seq) AS shown_at
  FROM ev
  WHERE kind = 'listener' AND op_id IS NOT NULL
  GROUP BY run_id, example, site, op_id
),
nameless AS (
  SELECT run_id, example, site, region, key, min(seq) AS shown_at
  FROM ev
  WHERE kind = 'listener' AND op_id IS NULL AND event = 'destroy'
  GROUP BY run_id, example, site, region, key
),
invalidated AS (
  SELECT DISTINCT run_id, example, region, key
  FROM changes
  WHERE op = 'invalidate'
),
due_at_all AS (
  SELECT d.run_id, d.example, d.region, d.key, d.op, d.op_id, d.token, d.site, d.member, d.called_at, d.returned_at,
    d.queue, d.to_site, r.rest_at, coalesce(s.shown_at, n.shown_at) AS shown_at
  FROM fed_at_all d
  JOIN rest r ON r.run_id = d.run_id AND r.example = d.example AND d.returned_at < r.rest_at
  SEMI JOIN runs q ON q.run_id = d.run_id AND q.example = d.example AND q.queue = d.queue
  SEMI JOIN observers h ON h.run_id = d.run_id AND h.example = d.example AND h.site = d.to_site
  ANTI JOIN invalidated i ON i.run_id = d.run_id AND i.example = d.example AND i.region = d.region AND i.key = d.key
    AND d.op = 'destroy'
  LEFT JOIN named s ON s.run_id = d.run_id AND s.example = d.example AND s.op_id = d.op_id AND s.site = d.to_site
  LEFT JOIN nameless n ON n.run_id = d.run_id AND n.example = d.example AND n.site = d.to_site
    AND n.region = d.region AND n.key = d.key AND d.op = 'destroy'
),
due AS (
  SELECT d.run_id, d.example, d.region, d.key, d.op, d.op_id, d.token, d.site, d.member, d.called_at, d.returned_at, d.queue,
    d.to_site, d.rest_at, d.shown_at
  FROM due_at_all d
  SEMI JOIN kept k ON k.run_id = d.run_id AND k.example = d.example AND k.region = d.region
)
