-- requirement: DUR-REPLAY-08
-- view: black-box
-- empty-start: no
-- only-with: ready
-- parts: stored
-- columns: seq, kind, value, state_after
-- opportunity: the last change of a key, a put or create called when all rested behind a durable client's
--   being ready, covered by its registrations with values; and what the client holds of the key
--   at rest behind it, before it registers again
-- violation: it does not hold the value
WITH settled_on AS (
  SELECT m.run_id, m.example, m.client, m.op_id, m.begun_at, min(s.seq) AS settled_at
  FROM matched m
  JOIN open_rests s ON s.run_id = m.run_id AND s.example = m.example AND s.seq > m.returned_at
  GROUP BY m.run_id, m.example, m.client, m.op_id, m.begun_at
)
SELECT m.run_id, m.example, c.seq, m.region || '/' || m.key AS subject,
  m.client || ' holds ' || c.state_after || coalesce(' ' || c.value, '') || ' behind ' || m.witness AS witness,
  c.state_after <> 'valid' OR coalesce(c.value, '') <> m.token AS violated
FROM matched m
JOIN settled_on s ON s.run_id = m.run_id AND s.example = m.example AND s.client = m.client AND s.op_id = m.op_id
  AND s.begun_at = m.begun_at
JOIN ev c ON c.run_id = m.run_id AND c.example = m.example AND c.client = m.client AND c.region = m.region
  AND c.key = m.key AND c.kind IN ('content', 'final_value') AND c.seq > s.settled_at AND c.seq < m.ended_at
ANTI JOIN changes o ON o.run_id = m.run_id AND o.example = m.example AND o.region = m.region AND o.key = m.key
  AND o.op_id <> m.op_id AND o.effect <> 'none' AND o.over_at > m.called_at
ANTI JOIN ev b ON b.run_id = m.run_id AND b.example = m.example AND b.client = m.client AND b.region = m.region
  AND b.kind = 'ri_begin' AND b.seq > m.called_at AND b.seq < c.seq
WHERE m.wanted_now AND m.called_at > m.rest_at
