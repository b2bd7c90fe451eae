-- requirement: S2C-OPS-07
-- view: black-box
-- empty-start: no
-- only-with: client_start
-- parts: owed
-- columns: seq
-- opportunity: an operation called elsewhere than at a client's own server, owed to the client with its
--   value while that server lives
-- violation: the client is never told of it
SELECT o.run_id, o.example, coalesce(o.first_at, o.rest_at) AS seq, o.region || '/' || o.key AS subject, o.witness,
  o.times = 0 AS violated
FROM owed o
WHERE o.all_bring AND o.op IN ('put', 'create') AND o.member <> o.first_server AND coalesce(o.by_server, '') <> o.first_server AND o.first_lost_at > o.rest_at
