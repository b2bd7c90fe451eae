-- requirement: FO-NONHA-02
-- view: black-box
-- empty-start: no
-- only-with: client_start
-- parts: owed
-- columns: run_id, example, seq, kind, member, client, server
-- opportunity: an operation owed to a client with its value, called once all had come to rest behind the
--   start of a server that it names, all of them having been lost before; no member lost since that start
-- violation: the client is never told of it
WITH starts AS (
  SELECT m.run_id, m.example, m.client, s.seq AS start_at
  FROM ev m
  JOIN ev s ON s.run_id = m.run_id AND s.example = m.example AND s.member = m.server AND s.kind = 'member_start'
  WHERE m.kind = 'may_serve'
),
late_losses AS (
  SELECT run_id, example, seq AS lost_at
  FROM ev
  WHERE kind IN ('crash', 'member_stop') AND client IS NULL
),
awaited AS (
  SELECT o.run_id, o.example, o.op_id, o.client, max(s.start_at) AS start_at
  FROM owed o
  JOIN starts s ON s.run_id = o.run_id AND s.example = o.example AND s.client = o.client AND s.start_at > o.all_lost_at
    AND s.start_at < o.rested_at
  GROUP BY o.run_id, o.example, o.op_id, o.client
),
unsettled AS (
  SELECT DISTINCT a.run_id, a.example, a.op_id
  FROM awaited a
  JOIN owed o ON o.run_id = a.run_id AND o.example = a.example AND o.op_id = a.op_id AND o.client = a.client
  JOIN late_losses x ON x.run_id = a.run_id AND x.example = a.example AND x.lost_at > a.start_at AND x.lost_at < o.rest_at
)
SELECT o.run_id, o.example, coalesce(o.first_at, o.rest_at) AS seq, o.region || '/' || o.key AS subject, o.witness,
  o.times = 0 AS violated
FROM owed o
JOIN awaited a ON a.run_id = o.run_id AND a.example = o.example AND a.op_id = o.op_id AND a.client = o.client
ANTI JOIN unsettled u ON u.run_id = o.run_id AND u.example = o.example AND u.op_id = o.op_id
WHERE o.all_bring AND o.op IN ('put', 'create')
