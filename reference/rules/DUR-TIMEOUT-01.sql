-- requirement: DUR-TIMEOUT-01
-- view: black-box
-- empty-start: no
-- only-with: advance
-- parts: stored
-- columns: seq
-- opportunity: a put or create called while a durable client was away, on a key that its registrations
--   covered; more than one and a half of its time-out were let pass meanwhile, and all rests once
--   the client has come back and is ready
-- violation: the client is told of it
SELECT m.run_id, m.example, coalesce(m.first_at, m.rest_at) AS seq, m.region || '/' || m.key AS subject, m.witness,
  m.times > 0 AS violated
FROM matched m
WHERE NOT m.wanted_now AND m.left_how <> 'closed' AND m.left_at < m.called_at AND m.returned_at < m.begun_at
  AND m.away_ms + m.away_ms > m.waits_ms + m.waits_ms + m.waits_ms AND m.rest_at IS NOT NULL
