-- requirement: INT-UNION-02
-- view: black-box
-- empty-start: no
-- only-with: client_start
-- parts: owed
-- columns: seq
-- opportunity: an operation owed to a client that several of its registrations cover, while its first
--   server lives
-- violation: the client is told of it more than once
SELECT o.run_id, o.example, coalesce(o.first_at, o.rest_at) AS seq, o.region || '/' || o.key AS subject, o.witness,
  o.times > 1 AS violated
FROM owed o
WHERE o.registrations > 1 AND o.first_lost_at > o.rest_at
