-- requirement: INT-REG-01
-- view: black-box
-- empty-start: no
-- only-with: client_start
-- parts: owed
-- columns: seq
-- opportunity: the first change of a key behind a client's last registration for it, owed to the client
--   with its value, and some server that keeps its queue lives
-- violation: the client is never told of it
SELECT o.run_id, o.example, coalesce(o.first_at, o.rest_at) AS seq, o.region || '/' || o.key AS subject, o.witness,
  o.times = 0 AS violated
FROM owed o
WHERE o.all_bring AND o.op IN ('put', 'create') AND coalesce(o.call_before, -1) < o.covered_at AND o.line_lost_at > o.rest_at
