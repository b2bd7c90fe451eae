-- requirement: ARCH-THREAD-02
-- view: black-box
-- empty-start: no
-- only-with: queue_host
-- parts: owed_offers, broken
-- columns: run_id, example, seq, kind, site, member, region, key, name, op_id, queue, queue_type
-- opportunity: while the listener of an asynchronous queue stands at a gate, an operation is awaited at a gate of a
--   listener that received it in the end: of a queue that the first operation does not feed, of another member's part
--   of a parallel queue, or of a region at another site; nothing is out of order
-- violation: it has not come there in all its time
WITH gates AS (
  SELECT a.run_id, a.example, a.member, a.site, a.region, a.key, a.op_id, coalesce(a.name, '') AS callback,
    min(p.seq) AS parked_at,
    min(m.seq) AS missed_at, coalesce(min(r.seq), 9223372036854775807) AS until_at
  FROM ev a
  LEFT JOIN ev p ON p.run_id = a.run_id AND p.example = a.example AND p.op_id = a.op_id AND p.member = a.member
    AND p.kind = 'gate_park'
  LEFT JOIN ev m ON m.run_id = a.run_id AND m.example = a.example AND m.op_id = a.op_id AND m.member = a.member
    AND m.kind = 'gate_miss'
  LEFT JOIN ev r ON r.run_id = a.run_id AND r.example = a.example AND r.op_id = a.op_id AND r.member = a.member
    AND r.kind = 'gate_release'
  WHERE a.kind = 'gate_arm'
  GROUP BY a.run_id, a.example, a.member, a.site, a.region, a.key, a.op_id, a.name
),
fed_by AS (
  SELECT DISTINCT run_id, example, region, queue
  FROM ev
  WHERE kind = 'attach' AND queue_type = 'async'
),
awaited AS (
  SELECT s.run_id, s.example, s.member AS stands_at, s.op_id AS stands, g.member, g.op_id, g.callback, g.region, g.key, g.site,
    s.site AS here,
    s.region AS stands_in, coalesce(g.missed_at, g.parked_at) AS seq, g.missed_at
  FROM gates s
  JOIN gates g ON g.run_id = s.run_id AND g.example = s.example AND g.op_id <> s.op_id
    AND coalesce(g.missed_at, g.parked_at) > s.parked_at AND coalesce(g.missed_at, g.parked_at) < s.until_at
  JOIN changes c ON c.run_id = g.run_id AND c.example = g.example AND c.op_id = g.op_id AND c.effect = 'sure'
    AND c.called_at < coalesce(g.missed_at, g.parked_at)
  ANTI JOIN gates o ON o.run_id = s.run_id AND o.example = s.example AND o.op_id <> s.op_id AND o.op_id <> g.op_id
  ANTI JOIN broken b ON b.run_id = g.run_id AND b.example = g.example AND b.broke_at < coalesce(g.missed_at, g.parked_at)
    AND coalesce(g.missed_at, g.parked_at) < b.mended_at
  ANTI JOIN gone x ON x.run_id = g.run_id AND x.example = g.example
  WHERE s.callback = 'queue'
),
apart AS (
  SELECT a.run_id, a.example, a.op_id, a.stands
  FROM awaited a
  JOIN offers o ON o.run_id = a.run_id AND o.example = a.example AND o.op_id = a.op_id AND o.member = a.member
    AND (NOT o.in_parallel OR o.member <> a.stands_at)
  ANTI JOIN fed_by f ON f.run_id = a.run_id AND f.example = a.example AND f.region = a.stands_in AND f.queue = o.queue
    AND NOT (o.in_parallel AND o.member <> a.stands_at)
  WHERE a.callback = 'queue'
  UNION
  SELECT a.run_id, a.example, a.op_id, a.stands
  FROM awaited a
  JOIN fed f ON f.run_id = a.run_id AND f.example = a.example AND f.op_id = a.op_id AND f.to_site = a.site AND f.site = a.here
  JOIN ev t ON t.run_id = a.run_id AND t.example = a.example AND t.op_id = a.op_id AND t.member = a.member
    AND t.kind = 'listener'
  WHERE a.callback = ''
)
SELECT a.run_id, a.example, a.seq, a.region || '/' || a.key AS subject,
  'operation ' || CAST(a.op_id AS STRING) || CASE WHEN a.missed_at IS NULL THEN ' came' ELSE ' did not come' END
    || ' to its listener on ' || a.member || ' while that on ' || a.stands_at || ' stood with operation ' || CAST(a.stands AS STRING) AS witness,
  a.missed_at IS NOT NULL AS violated
FROM awaited a
SEMI JOIN apart p ON p.run_id = a.run_id AND p.example = a.example AND p.op_id = a.op_id AND p.stands = a.stands
