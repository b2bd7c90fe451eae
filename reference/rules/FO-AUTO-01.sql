-- requirement: FO-AUTO-01
-- view: black-box
-- empty-start: no
-- only-with: client_start
-- parts: owed
-- columns: seq
-- opportunity: an operation owed to a client with its value, called once all had come to rest behind the loss
--   of the client's first server, another that it names being alive; no member lost meanwhile
-- violation: the client is never told of it
WITH losses AS (
  SELECT DISTINCT run_id, example, gone_at
  FROM gone
),
unsettled AS (
  SELECT DISTINCT o.run_id, o.example, o.op_id
  FROM sureties o
  JOIN losses x ON x.run_id = o.run_id AND x.example = o.example AND o.rested_at < x.gone_at AND x.gone_at < o.rest_at
)

SELECT o.run_id, o.example, coalesce(o.first_at, o.rest_at) AS seq, o.region || '/' || o.key AS subject, o.witness,
  o.times = 0 AS violated
FROM owed o
ANTI JOIN unsettled u ON u.run_id = o.run_id AND u.example = o.example AND u.op_id = o.op_id
WHERE o.all_bring AND o.op IN ('put', 'create') AND o.first_lost_at < o.called_at AND o.all_lost_at > o.rest_at
