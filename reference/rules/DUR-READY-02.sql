-- requirement: DUR-READY-02
-- view: black-box
-- empty-start: no
-- only-with: ready
-- parts: owed
-- columns: seq, kind
-- opportunity: an operation owed with its value to a client that is not durable, where some client has
--   declared that it is ready, and no member is lost
-- violation: the client is never told of it
SELECT o.run_id, o.example, coalesce(o.first_at, o.rest_at) AS seq, o.region || '/' || o.key AS subject, o.witness,
  o.times = 0 AS violated
FROM owed o
SEMI JOIN ev r ON r.run_id = o.run_id AND r.example = o.example AND r.kind = 'ready'
WHERE o.all_bring AND o.op IN ('put', 'create') AND o.first_lost_at = 9223372036854775807
  AND o.line_lost_at = o.first_lost_at AND o.all_lost_at = o.first_lost_at
