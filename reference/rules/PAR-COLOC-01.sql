-- requirement: PAR-COLOC-01
-- view: black-box
-- empty-start: no
-- only-with: queued
-- parts: waiting
-- columns: run_id, example, seq, kind, member, region, key, op_id, token, queue, question
-- opportunity: an event that must wait in a parallel asynchronous queue, at a look at a member that holds its key,
--   other members being looked at as well with nothing done between
-- violation: the member lacks the event, and one that does not hold the key has it
WITH seen AS (
  SELECT l.run_id, l.example, l.seq, l.member, l.queue, l.stretch, o.op_id, o.region, o.key
  FROM parallel_looks l
  JOIN ev d ON d.run_id = l.run_id AND d.example = l.example AND d.seq = l.seq
  JOIN ev q ON q.run_id = d.run_id AND q.example = d.example AND q.question = d.question AND q.kind = 'queued'
  JOIN ev o ON o.run_id = q.run_id AND o.example = q.example AND o.token = q.token AND o.kind = 'op_begin'
),
astray AS (
  SELECT s.run_id, s.example, s.queue, s.stretch, s.op_id, min(s.member) AS lies_at
  FROM seen s
  ANTI JOIN placed p ON p.run_id = s.run_id AND p.example = s.example AND p.region = s.region AND p.key = s.key
    AND p.member = s.member
  GROUP BY s.run_id, s.example, s.queue, s.stretch, s.op_id
)
SELECT w.run_id, w.example, w.seq, w.queue || ', ' || w.region || '/' || w.key AS subject,
  w.member || ', which holds the key,' || CASE WHEN s.run_id IS NULL THEN ' lacks' ELSE ' has' END || ' the event of operation '
    || CAST(w.op_id AS STRING) || coalesce('; ' || a.lies_at || ' has it', '') AS witness,
  s.run_id IS NULL AND a.run_id IS NOT NULL AS violated
FROM here_waiting w
JOIN parallel_looks l ON l.run_id = w.run_id AND l.example = w.example AND l.seq = w.seq
LEFT JOIN seen s ON s.run_id = w.run_id AND s.example = w.example AND s.seq = w.seq AND s.op_id = w.op_id
LEFT JOIN astray a ON a.run_id = w.run_id AND a.example = w.example AND a.queue = w.queue AND a.stretch = l.stretch
  AND a.op_id = w.op_id
WHERE s.run_id IS NOT NULL OR a.run_id IS NOT NULL
