-- requirement: FO-HA-07
-- view: black-box
-- empty-start: no
-- only-with: client_start
-- parts: owed
-- columns: seq
-- opportunity: an operation owed with its value to a client that has lost two of the servers that keep its
--   queue before all rests, while another one lives
-- violation: the client is told of it never, or more than once
WITH twice AS (
  SELECT c.run_id, c.example, c.client, max(c.gone_at) AS second_at
  FROM choices c
  JOIN clientele k ON k.run_id = c.run_id AND k.example = c.example AND k.client = c.client AND c.place <= k.spares
  WHERE c.gone_at < 9223372036854775807
  GROUP BY c.run_id, c.example, c.client
  HAVING count(c.server) > 1
)

SELECT o.run_id, o.example, coalesce(o.first_at, o.rest_at) AS seq, o.region || '/' || o.key AS subject, o.witness,
  o.times <> 1 AS violated
FROM owed o
JOIN twice x ON x.run_id = o.run_id AND x.example = o.example AND x.client = o.client AND x.second_at < o.rest_at
WHERE o.all_bring AND o.op IN ('put', 'create') AND o.line_lost_at > o.rest_at
