-- requirement: TRK-ONCE-01
-- view: black-box
-- empty-start: no
-- only-with: client_start
-- parts: owed
-- columns: seq
-- opportunity: an operation owed to a client with its value, in an example in which no member is lost
-- violation: the client is told of it never, or more than once
SELECT o.run_id, o.example, coalesce(o.first_at, o.rest_at) AS seq, o.region || '/' || o.key AS subject, o.witness,
  o.times <> 1 AS violated
FROM owed o
WHERE o.all_bring AND o.op IN ('put', 'create') AND o.all_lost_at = 9223372036854775807 AND o.line_lost_at = o.all_lost_at AND o.first_lost_at = o.all_lost_at
