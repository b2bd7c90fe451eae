-- requirement: FO-HA-05
-- view: black-box
-- empty-start: no
-- only-with: client_start
-- parts: owed
-- columns: seq
-- opportunity: an operation owed with its value to a client, called before the client lost its first
--   server and not told to it by then, while another server that keeps its queue lives
-- violation: the client is never told of it
SELECT o.run_id, o.example, coalesce(o.first_at, o.rest_at) AS seq, o.region || '/' || o.key AS subject, o.witness,
  o.times = 0 AS violated
FROM owed o
WHERE o.all_bring AND o.op IN ('put', 'create') AND o.called_at < o.first_lost_at AND o.first_lost_at < o.rest_at AND o.line_lost_at > o.rest_at AND coalesce(o.first_at, o.rest_at) > o.first_lost_at
