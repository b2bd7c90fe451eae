-- requirement: FO-HA-01
-- view: black-box
-- empty-start: no
-- only-with: client_start
-- parts: owed
-- columns: seq
-- opportunity: an operation owed with its value to a client that loses its first server before all rests,
--   while another server that keeps its queue lives
-- violation: the client is told of it never, or more than once
SELECT o.run_id, o.example, coalesce(o.first_at, o.rest_at) AS seq, o.region || '/' || o.key AS subject, o.witness,
  o.times <> 1 AS violated
FROM owed o
WHERE o.all_bring AND o.op IN ('put', 'create') AND o.first_lost_at < o.rest_at AND o.line_lost_at > o.rest_at
