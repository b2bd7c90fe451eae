-- requirement: DUR-DISC-03
-- view: black-box
-- empty-start: no
-- only-with: ready
-- parts: stored
-- columns: seq, kind, durable
-- opportunity: a put or create called after a durable client has gone, whose registrations for its key in
--   that life were not durable, nor was any other; while it was away, or after its return without
--   another registration for the key
-- violation: the client is told of it in its new life
SELECT m.run_id, m.example, coalesce(m.first_at, m.rest_at) AS seq, m.region || '/' || m.key AS subject, m.witness,
  m.times > 0 AS violated
FROM matched m
ANTI JOIN ev k ON k.run_id = m.run_id AND k.example = m.example AND k.client = m.client AND k.region = m.region
  AND k.key = m.key AND k.kind = 'ri_key' AND k.durable
ANTI JOIN ev a ON a.run_id = m.run_id AND a.example = m.example AND a.client = m.client AND a.region = m.region
  AND a.key = m.key AND a.kind = 'ri_key' AND a.seq > m.begun_at AND a.seq < m.ended_at AND m.called_at > m.begun_at
WHERE NOT m.wanted_now AND m.left_how <> 'closed' AND m.left_at < m.called_at AND m.rest_at IS NOT NULL
  AND (m.returned_at < m.begun_at OR m.called_at > m.begun_at)
