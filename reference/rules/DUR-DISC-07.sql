-- requirement: DUR-DISC-07
-- view: black-box
-- empty-start: no
-- only-with: client_close_begin
-- parts: stored
-- columns: seq, kind, durable
-- opportunity: a put or create that returned before a durable client came back that had closed with keep-
--   alive, none of whose registrations was durable; called after it had registered for the key in
--   the life before; all rests once the client is ready
-- violation: the client is told of it in its new life
SELECT m.run_id, m.example, coalesce(m.first_at, m.rest_at) AS seq, m.region || '/' || m.key AS subject, m.witness,
  m.times > 0 AS violated
FROM matched m
ANTI JOIN ev k ON k.run_id = m.run_id AND k.example = m.example AND k.client = m.client AND k.kind = 'ri_begin'
  AND k.durable
WHERE NOT m.wanted_now AND m.left_how = 'kept' AND m.returned_at < m.begun_at AND m.rest_at IS NOT NULL
