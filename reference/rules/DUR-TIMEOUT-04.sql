-- requirement: DUR-TIMEOUT-04
-- view: black-box
-- empty-start: no
-- only-with: ready
-- parts: stored, marks
-- columns: seq, kind, client, region, key, op_id
-- opportunity: a durable client that comes back after more than five quarters of its time-out and is ready: each region at rest
--   behind that; and each change called in that life before it registers for anything
-- violation: it is not told once that the region is live, or it is told of the change
WITH late AS (
  SELECT run_id, example, client, begun_at, rest_at, ended_at
  FROM lives
  WHERE left_how IS NOT NULL AND rest_at IS NOT NULL AND away_ms + away_ms + away_ms + away_ms > waits_ms + waits_ms + waits_ms + waits_ms + waits_ms
)
SELECT m.run_id, m.example, m.rest_at AS seq, m.region AS subject, m.witness, m.times = 0 AS violated
FROM marks m
JOIN late l ON l.run_id = m.run_id AND l.example = m.example AND l.client = m.client AND l.begun_at = m.begun_at
UNION ALL
SELECT l.run_id, l.example, coalesce(n.first_at, l.rest_at) AS seq, c.region || '/' || c.key AS subject,
  l.client || ' has not registered again, and is told ' || CAST(coalesce(n.times, 0) AS STRING) || ' times of '
    || c.op || ' on ' || c.key AS witness,
  coalesce(n.times, 0) > 0 AS violated
FROM late l
JOIN changes c ON c.run_id = l.run_id AND c.example = l.example AND c.called_at > l.begun_at AND c.returned_at < l.ended_at
  AND c.member <> l.client
ANTI JOIN ev k ON k.run_id = l.run_id AND k.example = l.example AND k.client = l.client
  AND k.kind IN ('ri_begin', 'ri_call') AND k.seq > l.begun_at AND k.seq < c.returned_at
ANTI JOIN ev b ON b.run_id = l.run_id AND b.example = l.example AND b.client = l.client AND b.region = c.region
  AND b.key = c.key AND b.kind = 'op_begin'
LEFT JOIN told_in n ON n.run_id = l.run_id AND n.example = l.example AND n.client = l.client AND n.begun_at = l.begun_at
  AND n.op_id = c.op_id
