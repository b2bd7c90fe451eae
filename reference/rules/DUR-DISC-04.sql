-- requirement: DUR-DISC-04
-- view: black-box
-- empty-start: no
-- only-with: ready
-- parts: stored
-- columns: seq, kind, durable
-- opportunity: a put or create called in a life of a durable client that was never ready, behind its
--   registration for the key and one that is durable; the client went otherwise than by a close
--   without keep-alive, and all rests once it has come back and is ready
-- violation: the client is not told of it by then
SELECT m.run_id, m.example, coalesce(m.first_at, m.rest_at) AS seq, m.region || '/' || m.key AS subject, m.witness,
  coalesce(m.first_at, 9223372036854775807) > m.rest_at AS violated
FROM matched m
JOIN lives p ON p.run_id = m.run_id AND p.example = m.example AND p.client = m.client AND p.begun_at = m.before_at
  AND p.ready_at = 9223372036854775807
SEMI JOIN ev k ON k.run_id = m.run_id AND k.example = m.example AND k.client = m.client AND k.kind = 'ri_end'
  AND k.durable AND k.seq > m.before_at AND k.seq < m.called_at
WHERE NOT m.wanted_now AND m.left_how <> 'closed' AND m.returned_at < m.left_at AND m.away_ms = 0
  AND m.rest_at IS NOT NULL
