-- requirement: AEQ-OPS-01
-- view: black-box
-- empty-start: yes
-- only-with: queue_host
-- parts: owed_offers
-- columns: run_id, example, seq, kind, member, region, key, op, event, queue, status
-- opportunity: an event that the listener of an asynchronous queue receives; and a put, create or destroy that it
--   must have received at rest, no member lost and no earlier call of a listener failed
-- violation: no gateway distributes such an operation, or nothing was called that destroys the key; it never came
WITH destroyers AS (
  SELECT DISTINCT run_id, example, region, coalesce(key, '') AS key
  FROM ev
  WHERE kind = 'op_begin' AND op IN ('destroy', 'remove_if_equal', 'remove_all')
),
failing AS (
  SELECT run_id, example, queue, min(seen_after) AS failed_after
  FROM listener_calls
  WHERE status <> 'true'
  GROUP BY run_id, example, queue
)
SELECT a.run_id, a.example, a.seq, a.queue || ' on ' || a.member AS subject,
  a.event || ' ' || coalesce(a.region, '') || '/' || coalesce(a.key, '') || coalesce(' of a ' || a.op, '') AS witness,
  a.event NOT IN ('create', 'update', 'destroy')
    OR coalesce(a.op, '') IN ('get', 'contains_key', 'invalidate', 'local_invalidate', 'local_destroy', 'clear', 'local_clear')
    OR (a.event = 'destroy' AND d.run_id IS NULL) AS violated
FROM ev a
JOIN async_queues q ON q.run_id = a.run_id AND q.example = a.example AND q.queue = a.queue
LEFT JOIN destroyers d ON d.run_id = a.run_id AND d.example = a.example AND d.region = a.region AND d.key = a.key
ANTI JOIN ev t ON t.run_id = a.run_id AND t.example = a.example AND t.kind = 'tx_begin'
WHERE a.kind = 'async_event'
UNION ALL
SELECT o.run_id, o.example, coalesce(o.offered_at, o.rest_at) AS seq, o.subject, o.witness, o.offered_at IS NULL AS violated
FROM owed_offers o
ANTI JOIN failing f ON f.run_id = o.run_id AND f.example = o.example AND f.queue = o.queue AND f.failed_after < o.returned_at
