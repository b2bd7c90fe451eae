-- requirement: REM-PARALLEL-03
-- view: black-box
-- empty-start: no
-- only-with: depth
-- parts: waiting, rest
-- columns: run_id, example, seq, kind, member, role
-- opportunity: a look at what a member with a redundant copy of some key holds of a parallel asynchronous queue,
--   nothing being out of order or held at a gate, and no member lost: it holds nothing, or all the time was given
--   since all came to rest
-- violation: it holds events
WITH copies AS (
  SELECT DISTINCT run_id, example, member
  FROM placed
  WHERE role = 'secondary'
),
given AS (
  SELECT l.run_id, l.example, l.seq, min(t.seq) AS waited_at
  FROM parallel_looks l
  LEFT JOIN ev t ON t.run_id = l.run_id AND t.example = l.example AND t.kind = 'waited' AND l.quiet_from < t.seq AND t.seq < l.seq
  GROUP BY l.run_id, l.example, l.seq
)
SELECT l.run_id, l.example, l.seq, l.queue || ' on ' || l.member AS subject,
  'holds ' || CAST(l.amount AS STRING) || ' at rest' AS witness, l.amount > 0 AS violated
FROM parallel_looks l
JOIN given t ON t.run_id = l.run_id AND t.example = l.example AND t.seq = l.seq
SEMI JOIN copies c ON c.run_id = l.run_id AND c.example = l.example AND c.member = l.member
ANTI JOIN broken b ON b.run_id = l.run_id AND b.example = l.example AND b.broke_at < l.seq AND l.seq < b.mended_at
WHERE l.amount = 0 OR t.waited_at IS NOT NULL
