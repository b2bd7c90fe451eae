-- requirement: SHQ-FIFO-01
-- view: internal
-- empty-start: no
-- only-with: rm
-- columns: run_id, example, seq, kind, member, queue, dispatcher, bucket, eid, queue_pos, cause
-- opportunity: an event removed as acknowledged
-- violation: an event that entered that copy before it, with a smaller position, was still there
WITH entered AS (
  SELECT run_id, example, member, queue, coalesce(dispatcher, 0) AS lane, coalesce(bucket, -1) AS part, eid, queue_pos,
    min(seq) AS entered_at
  FROM ev
  WHERE kind = 'enq' AND queue_pos IS NOT NULL
  GROUP BY run_id, example, member, queue, coalesce(dispatcher, 0), coalesce(bucket, -1), eid, queue_pos
),
done AS (
  SELECT run_id, example, member, queue, eid, min(seq) AS done_at
  FROM ev
  WHERE kind IN ('rm', 'conflate')
  GROUP BY run_id, example, member, queue, eid
),
waiting AS (
  SELECT e.run_id, e.example, e.member, e.queue, e.lane, e.part, e.eid, e.queue_pos, e.entered_at,
    coalesce(d.done_at, 9223372036854775807) AS done_at
  FROM entered e
  LEFT JOIN done d ON d.run_id = e.run_id AND d.example = e.example AND d.member = e.member AND d.queue = e.queue
    AND d.eid = e.eid
)
SELECT t.run_id, t.example, t.seq, t.queue || ' on ' || t.member AS subject,
  t.eid || coalesce(' passes over ' || min(w.eid), ' is the oldest') AS witness, count(w.eid) > 0 AS violated
FROM ev t
LEFT JOIN waiting w ON w.run_id = t.run_id AND w.example = t.example AND w.member = t.member AND w.queue = t.queue
  AND w.lane = coalesce(t.dispatcher, 0) AND w.part = coalesce(t.bucket, -1) AND w.eid <> t.eid
  AND w.queue_pos < t.queue_pos AND w.entered_at < t.seq AND w.done_at > t.seq
WHERE t.kind = 'rm' AND t.cause = 'ack'
GROUP BY t.run_id, t.example, t.seq, t.queue, t.member, t.eid
