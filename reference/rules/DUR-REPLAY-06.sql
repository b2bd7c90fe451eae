-- requirement: DUR-REPLAY-06
-- view: black-box
-- empty-start: no
-- only-with: live
-- parts: stored, marks
-- columns: seq
-- opportunity: a put or create that servers keep for a durable client until it is ready; the client receives it
--   in that life; the first event of a live region there is with it. A put or create called after the client was
--   ready, with the last such event. Only logs that keep all order count
-- violation: the client is told of what was kept behind it; of what came later in front of it
WITH told_live AS (
  SELECT run_id, example, client, begun_at, min(first_pos) AS first_live, max(last_pos) AS last_live
  FROM marks
  GROUP BY run_id, example, client, begun_at
)
SELECT q.run_id, q.example, q.judged_at AS seq, q.region || '/' || q.key AS subject,
  q.witness || ', behind the marker' AS witness, q.first_pos > k.first_live AS violated
FROM stored q
JOIN told_live k ON k.run_id = q.run_id AND k.example = q.example AND k.client = q.client AND k.begun_at = q.begun_at
WHERE q.log_order = 'total' AND q.times > 0 AND k.first_live IS NOT NULL
UNION ALL
SELECT m.run_id, m.example, m.first_at AS seq, m.region || '/' || m.key AS subject,
  m.witness || ', in front of the marker' AS witness, m.first_pos < k.last_live AS violated
FROM matched m
JOIN told_live k ON k.run_id = m.run_id AND k.example = m.example AND k.client = m.client AND k.begun_at = m.begun_at
WHERE m.log_order = 'total' AND m.times > 0 AND m.called_at > m.ready_at AND k.last_live IS NOT NULL
