-- requirement: S2C-RECV-03
-- view: black-box
-- empty-start: yes
-- only-with: client_start
-- parts: owed, sights
-- columns: seq
-- opportunity: a put or create owed to a client that cannot have the key: all its registrations for it came
--   before the first change of the key, receive no values and are never moved to another server, the client
--   called nothing on the key, and no call invalidated it
-- violation: the client is told of it, or has the key at rest
WITH changed AS (
  SELECT run_id, example, region, key, min(called_at) AS first_call
  FROM turns
  GROUP BY run_id, example, region, key
),
brought AS (
  SELECT w.run_id, w.example, w.client, w.region, w.key
  FROM wants w
  JOIN changed c ON c.run_id = w.run_id AND c.example = w.example AND c.region = w.region AND c.key = w.key
    AND (w.brings OR w.from_at > c.first_call)
),
invalidated AS (
  SELECT DISTINCT run_id, example, region, key
  FROM ev
  WHERE kind = 'op_begin' AND op = 'invalidate'
),
had AS (
  SELECT run_id, example, client, region, key, min(seq) AS had_at
  FROM sights
  WHERE client IS NOT NULL AND state <> 'absent'
  GROUP BY run_id, example, client, region, key
)
SELECT o.run_id, o.example, coalesce(o.first_at, h.had_at, o.rest_at) AS seq, o.region || '/' || o.key AS subject,
  o.witness || CASE WHEN h.had_at IS NULL THEN '' ELSE ', which has the key' END AS witness,
  o.times > 0 OR h.had_at IS NOT NULL AS violated
FROM owed o
ANTI JOIN brought b ON b.run_id = o.run_id AND b.example = o.example AND b.client = o.client AND b.region = o.region
  AND b.key = o.key
ANTI JOIN doings d ON d.run_id = o.run_id AND d.example = o.example AND d.client = o.client AND d.region = o.region
  AND d.key = o.key
ANTI JOIN invalidated i ON i.run_id = o.run_id AND i.example = o.example AND i.region = o.region AND i.key = o.key
LEFT JOIN had h ON h.run_id = o.run_id AND h.example = o.example AND h.client = o.client AND h.region = o.region
  AND h.key = o.key AND h.had_at > o.called_at
WHERE o.op IN ('put', 'create') AND o.first_lost_at = 9223372036854775807
