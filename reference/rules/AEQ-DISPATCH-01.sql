-- requirement: AEQ-DISPATCH-01
-- view: black-box
-- empty-start: no
-- only-with: async_event
-- parts: offers
-- columns: run_id, example, seq, kind, member, region, key, op_id, event, value, queue, batch, batch_pos
-- opportunity: an event that the listener of an asynchronous queue receives, of an operation that a member called
-- violation: it was not called by then, or on another key; the same batch has brought its value already, and no
--   member was lost while the operation was under way; a create or update brings no value
WITH tried_again AS (
  SELECT DISTINCT o.run_id, o.example, o.op_id
  FROM ev o
  JOIN ev c ON c.run_id = o.run_id AND c.example = o.example AND c.kind IN ('crash', 'member_stop') AND c.seq > o.seq
  LEFT JOIN ev e ON e.run_id = o.run_id AND e.example = o.example AND e.op_id = o.op_id AND e.kind = 'op_end' AND e.seq < c.seq
  WHERE o.kind = 'op_begin' AND e.seq IS NULL
),
given AS (
  SELECT run_id, example, seq, subject, witness, called_at, op_id, region, key, of_region, of_key,
    row_number() OVER (
      PARTITION BY run_id, example, member, queue, batch, op_id ORDER BY batch_pos NULLS LAST
    ) AS turn
  FROM offers
)
SELECT g.run_id, g.example, g.seq, g.subject, g.witness,
  g.seq < g.called_at OR g.region <> g.of_region OR g.key <> g.of_key
    OR (g.turn > 1 AND t.op_id IS NULL) AS violated
FROM given g
LEFT JOIN tried_again t ON t.run_id = g.run_id AND t.example = g.example AND t.op_id = g.op_id
ANTI JOIN ev x ON x.run_id = g.run_id AND x.example = g.example AND x.kind = 'redeliver'
UNION ALL
SELECT a.run_id, a.example, a.seq, a.queue || ' on ' || a.member AS subject,
  a.event || ' ' || a.key || ' without a value' AS witness,
  true AS violated
FROM ev a
JOIN async_queues q ON q.run_id = a.run_id AND q.example = a.example AND q.queue = a.queue
ANTI JOIN ev x ON x.run_id = a.run_id AND x.example = a.example AND x.kind = 'loader_call'
WHERE a.kind = 'async_event' AND a.event IN ('create', 'update') AND a.value IS NULL
