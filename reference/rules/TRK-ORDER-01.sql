-- requirement: TRK-ORDER-01
-- view: black-box
-- empty-start: no
-- only-with: client_start
-- parts: clientele, served, told
-- columns: log_pos, token, origin_member, origin_thread, origin_seq
-- opportunity: two neighbours in a client's log among the events of one thread of another caller (of one key
--   of it, where logs keep no more), of keys that the client never gets
-- violation: the later one was called before the other
WITH strict AS (
  SELECT DISTINCT run_id, example
  FROM ev
  WHERE kind = 'example_begin' AND order_strength = 'total'
),
shown AS (
  SELECT e.run_id, e.example, e.seq, e.client, e.region, e.key, e.token, e.origin_member, e.origin_thread, e.origin_seq,
    lag(e.origin_seq) OVER (
      PARTITION BY e.run_id, e.example, e.client, e.origin_member, e.origin_thread,
        CASE WHEN k.log_order = 'total' AND x.run_id IS NOT NULL THEN '' ELSE e.region || '/' || e.key END
      ORDER BY e.log_pos NULLS LAST
    ) AS seq_before
  FROM ev e
  JOIN clientele k ON k.run_id = e.run_id AND k.example = e.example AND k.client = e.client
  SEMI JOIN served s ON s.run_id = e.run_id AND s.example = e.example AND s.region = e.region
  ANTI JOIN fetched f ON f.run_id = e.run_id AND f.example = e.example AND f.client = e.client AND f.region = e.region
    AND f.key = e.key
  LEFT JOIN strict x ON x.run_id = e.run_id AND x.example = e.example
  WHERE e.kind = 'listener' AND e.origin_seq IS NOT NULL AND e.origin_member <> e.client
)
SELECT run_id, example, seq, region || '/' || key AS subject,
  client || ' is told of ' || token || ' of thread ' || origin_thread
    || CASE WHEN seq_before > origin_seq THEN ' after a later one' ELSE ' after an earlier one' END AS witness,
  seq_before > origin_seq AS violated
FROM shown
WHERE seq_before IS NOT NULL
