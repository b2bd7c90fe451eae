-- requirement: STAT-QUEUE-01
-- view: black-box
-- empty-start: yes
-- only-with: queue_host
-- parts: looks, feeds, kept, changes, broken
-- columns: run_id, example, seq, kind, site, member, region, queue, op, op_id, amount
-- opportunity: a look at a copy of a gateway sender's queue: of its primary, when all has settled, nothing
--   is out of order and no cache writer was told to refuse anything; of any member that was not lost, with two sites and only operations on single keys
-- violation: the primary's still holds events; it holds more than operations on attached regions were called
WITH unlike AS (
  SELECT DISTINCT f.run_id, f.example, f.queue
  FROM feeds f
  ANTI JOIN kept k ON k.run_id = f.run_id AND k.example = f.example AND k.region = f.region
),
called AS (
  SELECT c.run_id, c.example, f.queue, c.op_id, c.called_at
  FROM changes c
  JOIN feeds f ON f.run_id = c.run_id AND f.example = c.example AND f.region = c.region
  WHERE c.effect <> 'none' AND c.op <> 'invalidate'
),
refusing AS (
  SELECT DISTINCT run_id, example
  FROM ev
  WHERE kind = 'inject'
),
senders AS (
  SELECT DISTINCT run_id, example, queue
  FROM feeds
)
SELECT l.run_id, l.example, l.seq, l.queue || ' on ' || l.member AS subject,
  'holds ' || CAST(l.amount AS STRING) || ' at rest' AS witness, l.amount <> 0 AS violated
FROM looks l
SEMI JOIN senders s ON s.run_id = l.run_id AND s.example = l.example AND s.queue = l.queue
ANTI JOIN broken b ON b.run_id = l.run_id AND b.example = l.example AND b.broke_at < l.seq AND l.seq < b.mended_at
ANTI JOIN refusing r ON r.run_id = l.run_id AND r.example = l.example
WHERE l.role = 'primary' AND l.quiet_from IS NOT NULL
UNION ALL
SELECT l.run_id, l.example, l.seq, l.queue || ' on ' || l.member AS subject,
  'holds ' || CAST(l.amount AS STRING) || ', ' || CAST(count(DISTINCT c.op_id) AS STRING) || ' were called' AS witness,
  l.amount > count(DISTINCT c.op_id) AS violated
FROM looks l
SEMI JOIN senders s ON s.run_id = l.run_id AND s.example = l.example AND s.queue = l.queue
LEFT JOIN called c ON c.run_id = l.run_id AND c.example = l.example AND c.queue = l.queue AND c.called_at < l.seq
ANTI JOIN unlike o ON o.run_id = l.run_id AND o.example = l.example AND o.queue = l.queue
GROUP BY l.run_id, l.example, l.seq, l.queue, l.member, l.amount
