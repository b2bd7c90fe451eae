-- part: Calls of the listeners of asynchronous event queues, and what they received: events of operations that
--   members of the queue's site called, each with the answer, and with the last call of the member that had it once
--   more.
-- columns: run_id, example, seq, kind, site, member, client, region, key, op, op_id, event, token, value, queue,
--   queue_type, parallel, dispatchers, filters, batch, batch_pos, status, seen_after
-- needs:
async_queues AS (
  SELECT run_id, example, queue, min(site) AS site, bool_or(coalesce(parallel, false)) AS in_parallel,
    bool_or(coalesce(filters, false)) AS leaves_out
  FROM ev
  WHERE kind = 'queue_host' AND queue_type = 'async'
  GROUP BY run_id, example, queue
  HAVING max(coalesce(dispatchers, 1)) = 1
),
listener_calls AS (
  SELECT e.run_id, e.example, e.member, e.queue, e.batch, e.seq AS seen_at, e.seen_after, e.status, q.site, q.in_parallel,
    lead(e.batch) OVER (
      PARTITION BY e.run_id, e.example, e.member, e.queue ORDER BY e.batch NULLS LAST
    ) AS next_batch
  FROM ev e
  JOIN async_queues q ON q.run_id = e.run_id AND q.example = e.example AND q.queue = e.queue
  WHERE e.kind = 'dispatch_end'
),
offers AS (
  SELECT a.run_id, a.example, a.seq, a.seen_after, a.member, a.queue, a.batch, a.batch_pos, a.region, a.key, a.event, a.value,
    a.op_id, c.status, c.site, c.in_parallel, o.op, o.seq AS called_at, o.region AS of_region, o.key AS of_key,
    a.queue || ' on ' || a.member AS subject,
    a.event || ' ' || coalesce(a.region, '') || '/' || coalesce(a.key, '') || coalesce(' ' || a.token, '') || ', answered '
      || coalesce(c.status, '') AS witness,
    max(a.batch) OVER (PARTITION BY a.run_id, a.example, a.queue, a.member, a.op_id) AS last_batch,
    min(a.member) OVER (PARTITION BY a.run_id, a.example, a.queue, a.op_id) AS least_member,
    max(a.member) OVER (PARTITION BY a.run_id, a.example, a.queue, a.op_id) AS greatest_member
  FROM ev a
  JOIN listener_calls c ON c.run_id = a.run_id AND c.example = a.example AND c.member = a.member AND c.queue = a.queue
    AND c.batch = a.batch
  JOIN ev o ON o.run_id = a.run_id AND o.example = a.example AND o.op_id = a.op_id AND o.kind = 'op_begin'
    AND o.client IS NULL AND o.site = c.site
  WHERE a.kind = 'async_event'
)
