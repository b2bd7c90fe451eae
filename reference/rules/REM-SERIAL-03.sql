-- requirement: REM-SERIAL-03
-- view: internal
-- empty-start: no
-- columns: run_id, example, seq, kind, member, queue, eid, queue_pos, range_from, range_to, cause
-- opportunity: a removal message carried out on a member, and one sent
-- violation: an event that it removed lies outside its range, or one within it was there and stayed; it
--   covers a position beyond all that the sending member had removed as acknowledged
WITH applied AS (
  SELECT run_id, example, seq, member, queue, range_from, range_to,
    coalesce(lead(seq) OVER (PARTITION BY run_id, example, member, queue ORDER BY seq NULLS LAST),
      9223372036854775807) AS until_at
  FROM ev
  WHERE kind = 'brm_apply'
),
removed AS (
  SELECT run_id, example, seq, member, queue, eid, queue_pos, cause
  FROM ev
  WHERE kind = 'rm'
),
outside AS (
  SELECT a.run_id, a.example, a.member, a.queue, a.seq, min(r.eid) AS eid
  FROM applied a
  JOIN removed r ON r.run_id = a.run_id AND r.example = a.example AND r.member = a.member AND r.queue = a.queue
    AND a.seq < r.seq AND r.seq < a.until_at AND r.cause = 'removal_message'
    AND (r.queue_pos < a.range_from OR r.queue_pos > a.range_to)
  GROUP BY a.run_id, a.example, a.member, a.queue, a.seq
),
kept AS (
  SELECT a.run_id, a.example, a.member, a.queue, a.seq, min(e.eid) AS eid
  FROM applied a
  JOIN ev e ON e.run_id = a.run_id AND e.example = a.example AND e.member = a.member AND e.queue = a.queue
    AND e.kind = 'enq' AND e.seq < a.seq AND a.range_from <= e.queue_pos AND e.queue_pos <= a.range_to
  ANTI JOIN removed r ON r.run_id = e.run_id AND r.example = e.example AND r.member = e.member AND r.queue = e.queue
    AND r.eid = e.eid
  SEMI JOIN ev s ON s.run_id = a.run_id AND s.example = a.example AND s.kind = 'settle' AND s.seq > a.seq
  GROUP BY a.run_id, a.example, a.member, a.queue, a.seq
)
SELECT a.run_id, a.example, a.seq, a.queue || ' on ' || a.member AS subject,
  CAST(a.range_from AS STRING) || ' to ' || CAST(a.range_to AS STRING) || ': '
    || coalesce('removed besides ' || o.eid, 'left ' || k.eid, 'exact') AS witness,
  o.eid IS NOT NULL OR k.eid IS NOT NULL AS violated
FROM applied a
LEFT JOIN outside o ON o.run_id = a.run_id AND o.example = a.example AND o.member = a.member AND o.queue = a.queue
  AND o.seq = a.seq
LEFT JOIN kept k ON k.run_id = a.run_id AND k.example = a.example AND k.member = a.member AND k.queue = a.queue
  AND k.seq = a.seq
UNION ALL
SELECT b.run_id, b.example, b.seq, b.queue || ' on ' || b.member AS subject,
  'covers up to ' || CAST(b.range_to AS STRING) || ', acknowledged up to ' || CAST(max(r.queue_pos) AS STRING) AS witness,
  b.range_to > max(r.queue_pos) AS violated
FROM ev b
JOIN removed r ON r.run_id = b.run_id AND r.example = b.example AND r.member = b.member AND r.queue = b.queue
  AND r.cause = 'ack' AND r.seq < b.seq
WHERE b.kind = 'brm_send'
GROUP BY b.run_id, b.example, b.seq, b.queue, b.member, b.range_to
