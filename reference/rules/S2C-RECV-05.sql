-- requirement: S2C-RECV-05
-- view: black-box
-- empty-start: no
-- only-with: client_start
-- parts: owed
-- columns: seq
-- opportunity: an operation owed to a client that a registration with values covers, and one without, while its first server lives
-- violation: the client receives it more than once
SELECT o.run_id, o.example, coalesce(o.first_at, o.rest_at) AS seq, o.region || '/' || o.key AS subject, o.witness,
  o.times > 1 AS violated
FROM owed o
WHERE o.some_bring AND NOT o.all_bring AND o.first_lost_at > o.rest_at
