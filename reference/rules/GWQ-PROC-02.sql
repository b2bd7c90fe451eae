-- requirement: GWQ-PROC-02
-- view: internal
-- empty-start: no
-- only-with: rm
-- columns: run_id, example, seq, kind, member, queue, eid, batch, conn, cause
-- opportunity: an event removed as acknowledged that was seen to enter that copy of the queue
-- violation: it was not first taken into a batch there, then sent, then that batch answered on that
--   connection
WITH entered AS (
  SELECT DISTINCT run_id, example, member, queue, eid
  FROM ev
  WHERE kind = 'enq'
),
removed AS (
  SELECT r.run_id, r.example, r.seq, r.member, r.queue, r.eid
  FROM ev r
  SEMI JOIN entered e ON e.run_id = r.run_id AND e.example = r.example AND e.member = r.member
    AND e.queue = r.queue AND e.eid = r.eid
  WHERE r.kind = 'rm' AND r.cause = 'ack'
),
answered AS (
  SELECT s.run_id, s.example, s.member, s.queue, s.eid, min(a.seq) AS answered_at
  FROM ev p
  JOIN ev s ON s.run_id = p.run_id AND s.example = p.example AND s.member = p.member AND s.queue = p.queue
    AND s.eid = p.eid AND s.kind = 'send' AND s.seq > p.seq
  JOIN ev a ON a.run_id = s.run_id AND a.example = s.example AND a.member = s.member AND a.queue = s.queue
    AND a.kind = 'ack_recv' AND a.batch = s.batch AND a.conn = s.conn AND a.seq > s.seq
  WHERE p.kind = 'peek'
  GROUP BY s.run_id, s.example, s.member, s.queue, s.eid
)
SELECT r.run_id, r.example, r.seq, r.queue || ' on ' || r.member AS subject,
  r.eid || CASE WHEN a.answered_at < r.seq THEN ' removed after its answer' ELSE ' removed, not answered' END AS witness,
  NOT coalesce(a.answered_at < r.seq, false) AS violated
FROM removed r
LEFT JOIN answered a ON a.run_id = r.run_id AND a.example = r.example AND a.member = r.member AND a.queue = r.queue
  AND a.eid = r.eid
