-- requirement: C2S-PROP-05
-- view: black-box
-- empty-start: no
-- only-with: client_start
-- parts: owed
-- columns: seq
-- opportunity: an operation of a client, owed with its value to a client of another server, all servers
--   concerned being alive
-- violation: that client is told of it never, or more than once
SELECT o.run_id, o.example, coalesce(o.first_at, o.rest_at) AS seq, o.region || '/' || o.key AS subject, o.witness,
  o.times <> 1 AS violated
FROM owed o
WHERE o.of_client AND o.by_server <> o.first_server AND o.all_bring AND o.op IN ('put', 'create') AND o.first_lost_at > o.rest_at
