-- requirement: WAN-ORDER-01
-- view: black-box
-- empty-start: no
-- only-with: queue_host
-- parts: passed, troubled, parting
-- columns: run_id, example, seq, kind, site, member, client, region, key, op, queue, role, op_id, origin_site, origin_member,
--   origin_thread, origin_seq, log_pos, order_strength
-- opportunity: two neighbours among a key's first showings at another site that members of their own site
--   show too; where logs are in total order and nothing went wrong, two neighbours of one thread of the
--   sender's primary: one serial sender with one dispatcher, checks on; what a crash may have moved is
--   SER-FAILOVER-02's; of keys that several members of a site write, and another site, nothing is said, nor of
--   such as are written at several sites, and more than once at one, where events may have been sent again
-- violation: they come the other way round than at their own site; than the thread called them
WITH alone AS (
  SELECT run_id, example, region, from_site, to_site, min(queue) AS queue
  FROM feeds
  GROUP BY run_id, example, region, from_site, to_site
  HAVING count(DISTINCT queue) = 1 AND bool_and(lanes = 1 AND NOT in_parallel)
),
crashed AS (
  SELECT DISTINCT run_id, example
  FROM ev
  WHERE kind IN ('crash', 'member_stop')
),
primaries AS (
  SELECT run_id, example, queue, min(member) AS member
  FROM ev
  WHERE kind = 'role' AND role = 'primary'
  GROUP BY run_id, example, queue
  HAVING min(member) = max(member)
),
total AS (
  SELECT DISTINCT run_id, example
  FROM ev
  WHERE kind = 'example_begin' AND order_strength = 'total'
),
threads AS (
  SELECT e.run_id, e.example, a.queue, e.member, e.origin_thread, e.op_id, min(e.origin_seq) AS turn,
    min(e.log_pos) AS pos, min(e.seq) AS shown_at
  FROM ev e
  JOIN alone a ON a.run_id = e.run_id AND a.example = e.example AND a.region = e.region
    AND a.from_site = e.origin_site AND a.to_site = e.site
  JOIN primaries p ON p.run_id = e.run_id AND p.example = e.example AND p.queue = a.queue AND p.member = e.origin_member
  SEMI JOIN total o ON o.run_id = e.run_id AND o.example = e.example
  SEMI JOIN kept k ON k.run_id = e.run_id AND k.example = e.example AND k.region = e.region AND k.checked
  ANTI JOIN troubled t ON t.run_id = e.run_id AND t.example = e.example
  WHERE e.kind = 'listener' AND e.op_id IS NOT NULL AND e.origin_seq IS NOT NULL AND e.log_pos IS NOT NULL
  GROUP BY e.run_id, e.example, a.queue, e.member, e.origin_thread, e.op_id
),
turns AS (
  SELECT run_id, example, queue, member, origin_thread, op_id, turn, shown_at,
    lag(turn) OVER (PARTITION BY run_id, example, queue, member, origin_thread ORDER BY pos NULLS LAST) AS turn_before,
    lag(op_id) OVER (PARTITION BY run_id, example, queue, member, origin_thread ORDER BY pos NULLS LAST) AS earlier
  FROM threads
)
SELECT p.run_id, p.example, p.shown_at AS seq, p.region || '/' || p.key AS subject,
  'operation ' || CAST(p.earlier AS STRING) || ' before ' || CAST(p.op_id AS STRING) || ' on ' || p.member
    || CASE WHEN p.turned THEN ', the other way round at site ' || CAST(p.origin_site AS STRING) ELSE '' END AS witness,
  p.turned AS violated
FROM passed p
SEMI JOIN alone a ON a.run_id = p.run_id AND a.example = p.example AND a.region = p.region
  AND a.from_site = p.origin_site AND a.to_site = p.site
ANTI JOIN parting o ON o.run_id = p.run_id AND o.example = p.example AND o.region = p.region AND o.key = p.key
ANTI JOIN crashed c ON c.run_id = p.run_id AND c.example = p.example
UNION ALL
SELECT run_id, example, shown_at AS seq, queue || ', thread ' || origin_thread AS subject,
  'operation ' || CAST(earlier AS STRING) || ' before ' || CAST(op_id AS STRING) || ' on ' || member AS witness,
  turn < turn_before AS violated
FROM turns
WHERE turn_before IS NOT NULL
