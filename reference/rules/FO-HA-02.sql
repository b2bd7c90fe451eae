-- requirement: FO-HA-02
-- view: black-box
-- empty-start: no
-- only-with: client_start
-- parts: owed
-- columns: seq
-- opportunity: an operation owed with its value to a client, returned before the client lost its first
--   server and not told to it by then, nothing being called from there until all rests, while another
--   server that keeps its queue lives
-- violation: the client is never told of it
WITH called AS (
  SELECT run_id, example, seq
  FROM ev
  WHERE kind = 'op_begin'
)

SELECT o.run_id, o.example, coalesce(o.first_at, o.rest_at) AS seq, o.region || '/' || o.key AS subject, o.witness,
  o.times = 0 AS violated
FROM owed o
ANTI JOIN called c ON c.run_id = o.run_id AND c.example = o.example AND o.first_lost_at < c.seq AND c.seq < o.rest_at
WHERE o.all_bring AND o.op IN ('put', 'create') AND o.returned_at < o.first_lost_at AND o.first_lost_at < o.rest_at AND o.line_lost_at > o.rest_at AND coalesce(o.first_at, o.rest_at) > o.first_lost_at
