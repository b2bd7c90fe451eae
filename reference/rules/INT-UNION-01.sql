-- requirement: INT-UNION-01
-- view: black-box
-- empty-start: no
-- only-with: client_start
-- parts: owed
-- columns: seq
-- opportunity: an operation owed with its value to a client that has registered for something else of the
--   region as well, or has withdrawn that, while its first server lives
-- violation: the client is never told of it
WITH registering AS (
  SELECT run_id, example, client, region, count(seq) AS times
  FROM ev
  WHERE kind IN ('ri_begin', 'unregister_begin')
  GROUP BY run_id, example, client, region
  HAVING count(seq) > 1
)

SELECT o.run_id, o.example, coalesce(o.first_at, o.rest_at) AS seq, o.region || '/' || o.key AS subject, o.witness,
  o.times = 0 AS violated
FROM owed o
SEMI JOIN registering r ON r.run_id = o.run_id AND r.example = o.example AND r.client = o.client AND r.region = o.region
WHERE o.all_bring AND o.op IN ('put', 'create') AND o.first_lost_at > o.rest_at
