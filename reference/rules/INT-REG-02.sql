-- requirement: INT-REG-02
-- view: black-box
-- empty-start: yes
-- only-with: client_start
-- parts: owed
-- columns: seq
-- opportunity: a put or create of a key that was not there, since it was destroyed behind the registration
--   or never written, owed to a client with its value while its first server lives
-- violation: the client is never told of it
SELECT o.run_id, o.example, coalesce(o.first_at, o.rest_at) AS seq, o.region || '/' || o.key AS subject, o.witness,
  o.times = 0 AS violated
FROM owed o
WHERE o.all_bring AND o.op IN ('put', 'create') AND o.first_lost_at > o.rest_at AND (o.op_before = 'destroy' AND o.call_before > o.covered_at OR o.op_before IS NULL)
