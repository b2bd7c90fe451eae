-- requirement: DUR-READY-01
-- view: black-box
-- empty-start: no
-- only-with: client_start
-- parts: stored
-- columns: seq, kind, seen_before
-- opportunity: a put or create that servers keep for a durable client that is not ready: called in the same
--   life, or while the client was away though its queue was kept
-- violation: the client is told of it before it is ready; or, called in the same life, not by the time that
--   all rests behind that
WITH early AS (
  SELECT l.run_id, l.example, l.client, l.begun_at, t.op_id, min(t.seq) AS early_at
  FROM lives l
  JOIN ev t ON t.run_id = l.run_id AND t.example = l.example AND t.client = l.client AND t.kind = 'listener'
    AND t.seq > l.begun_at AND t.seq < l.ended_at AND t.seen_before < l.ready_at
  GROUP BY l.run_id, l.example, l.client, l.begun_at, t.op_id
)
SELECT m.run_id, m.example, coalesce(e.early_at, m.first_at, m.rest_at, m.returned_at) AS seq,
  m.region || '/' || m.key AS subject,
  m.witness || CASE WHEN e.early_at IS NULL THEN '' ELSE ', before it was ready' END AS witness,
  e.early_at IS NOT NULL OR (m.wanted_now AND m.rest_at IS NOT NULL
    AND coalesce(m.first_at, 9223372036854775807) > m.rest_at) AS violated
FROM matched m
LEFT JOIN early e ON e.run_id = m.run_id AND e.example = m.example AND e.client = m.client AND e.begun_at = m.begun_at
  AND e.op_id = m.op_id
WHERE m.returned_at < m.ready_at AND CASE WHEN m.wanted_now THEN m.called_at > m.begun_at
  ELSE m.lasts AND m.left_how <> 'closed' AND m.left_at < m.called_at AND m.returned_at < m.begun_at END
