-- requirement: FO-NONHA-09
-- view: black-box
-- empty-start: no
-- only-with: client_start
-- parts: arrived
-- columns: seq
-- opportunity: an operation owed to a client, called once all had come to rest behind the loss of every
--   server that kept its queue, another that it names being alive; no member lost meanwhile; what such a
--   client none of whose registrations receives values holds at rest behind it, untouched since
-- violation: the client is not told of it though its registrations receive values, or is told its value
--   though none of them does; it holds a value
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
  CASE WHEN o.all_bring THEN o.times = 0 ELSE NOT o.some_bring AND o.with_value > 0 AND NOT o.fetched END AS violated
FROM owed o
ANTI JOIN unsettled u ON u.run_id = o.run_id AND u.example = o.example AND u.op_id = o.op_id
WHERE o.op IN ('put', 'create') AND o.line_lost_at < o.called_at AND o.all_lost_at > o.rest_at
UNION ALL
SELECT a.run_id, a.example, a.seq, a.region || '/' || a.key AS subject, a.witness, a.state = 'valid' AS violated
FROM arrived a
ANTI JOIN unsettled u ON u.run_id = a.run_id AND u.example = a.example AND u.op_id = a.op_id
ANTI JOIN gone g ON g.run_id = a.run_id AND g.example = a.example AND a.rest_at < g.gone_at
WHERE NOT a.some_bring AND a.op IN ('put', 'create') AND a.line_lost_at < a.rest_at AND a.all_lost_at > a.seq
