-- requirement: S2C-RECV-01
-- view: black-box
-- empty-start: no
-- only-with: client_start
-- parts: owed
-- columns: seq
-- opportunity: a put or create owed to a client all of whose registrations for the key receive values, and
--   of which the client is told, or its first server lives
-- violation: it is told of it otherwise than as a create or update with that value, or not at all
SELECT o.run_id, o.example, coalesce(o.first_at, o.rest_at) AS seq, o.region || '/' || o.key AS subject, o.witness,
  o.with_value = 0 AS violated
FROM owed o
WHERE o.all_bring AND o.op IN ('put', 'create') AND (o.times > 0 OR o.first_lost_at > o.rest_at)
