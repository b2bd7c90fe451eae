-- requirement: C2S-PROP-01
-- view: black-box
-- empty-start: no
-- only-with: client_start
-- parts: owed
-- columns: seq
-- opportunity: an operation of a client, owed with its value to another client whose first server lives
-- violation: that client is never told of it with its value
SELECT o.run_id, o.example, coalesce(o.first_at, o.rest_at) AS seq, o.region || '/' || o.key AS subject, o.witness,
  o.with_value = 0 AS violated
FROM owed o
WHERE o.of_client AND o.all_bring AND o.op IN ('put', 'create') AND o.first_lost_at > o.rest_at
