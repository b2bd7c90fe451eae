-- requirement: REM-SERIAL-02
-- view: black-box
-- empty-start: no
-- only-with: queue_host
-- parts: looks, feeds, broken
-- columns: run_id, example, seq, kind, member, queue, amount
-- opportunity: the last look at a secondary's copy of a serial queue since all settled with nothing out of
--   order: it holds nothing, or was given all the time it may take
-- violation: it still holds events
WITH ordered AS (
  SELECT run_id, example, seq, member, queue, amount, role, stretch, quiet_from,
    lead(seq) OVER (PARTITION BY run_id, example, stretch, member, queue ORDER BY seq NULLS LAST) AS seen_again
  FROM looks
),
waited AS (
  SELECT run_id, example, stretch, max(seq) AS waited_at
  FROM steps
  WHERE kind = 'waited'
  GROUP BY run_id, example, stretch
),
serial AS (
  SELECT DISTINCT run_id, example, queue
  FROM feeds
  WHERE NOT in_parallel
)
SELECT o.run_id, o.example, o.seq, o.queue || ' on ' || o.member AS subject,
  'the secondary holds ' || CAST(o.amount AS STRING) || ' events' AS witness, o.amount > 0 AS violated
FROM ordered o
SEMI JOIN serial s ON s.run_id = o.run_id AND s.example = o.example AND s.queue = o.queue
LEFT JOIN waited w ON w.run_id = o.run_id AND w.example = o.example AND w.stretch = o.stretch AND w.waited_at > o.seq
ANTI JOIN broken b ON b.run_id = o.run_id AND b.example = o.example AND b.broke_at < o.seq AND o.seq < b.mended_at
WHERE o.role = 'secondary' AND o.quiet_from IS NOT NULL AND o.seen_again IS NULL
  AND (o.amount = 0 OR w.waited_at IS NOT NULL)
