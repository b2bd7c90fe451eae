-- requirement: DUR-DISC-06
-- view: black-box
-- empty-start: no
-- only-with: client_close_begin
-- parts: stored
-- columns: seq
-- opportunity: a put or create that returned before a durable client comes back from a close without keep-
--   alive, in front of which it had registered for the key
-- violation: the client is told of it in its new life
SELECT m.run_id, m.example, coalesce(m.first_at, m.rest_at) AS seq, m.region || '/' || m.key AS subject, m.witness,
  m.times > 0 AS violated
FROM matched m
WHERE NOT m.wanted_now AND m.left_how = 'closed' AND m.returned_at < m.begun_at AND m.rest_at IS NOT NULL
