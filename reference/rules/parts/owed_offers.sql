-- part: Operations that the listener of an asynchronous event queue must have received at rest: of keys that only one
--   site changes, of a queue without a filter, of a serial one none at a time with another of its key, no member lost; and when it first
--   received each.
-- columns: run_id, example, seq, kind, site, member, region, key, op, op_id, event, queue, queue_type, policy, scope
-- needs: offers, fed, rest
parted AS (
  SELECT r.run_id, r.example, r.region, bool_and(coalesce(r.scope, '') = 'distributed_ack') AS acknowledged
  FROM ev r
  ANTI JOIN unusual u ON u.run_id = r.run_id AND u.example = r.example
  ANTI JOIN wholesale w ON w.run_id = r.run_id AND w.example = r.example AND w.region = r.region
  WHERE r.kind = 'region_host' AND r.policy IS NOT NULL
  GROUP BY r.run_id, r.example, r.region
  HAVING min(r.policy) = 'partition' AND max(r.policy) = 'partition'
),
heard_regions AS (
  SELECT a.run_id, a.example, a.region, a.queue, q.site, q.in_parallel, coalesce(k.acknowledged, true) AS acknowledged
  FROM ev a
  JOIN async_queues q ON q.run_id = a.run_id AND q.example = a.example AND q.queue = a.queue
  LEFT JOIN kept k ON k.run_id = a.run_id AND k.example = a.example AND k.region = a.region
  LEFT JOIN parted p ON p.run_id = a.run_id AND p.example = a.example AND p.region = a.region
  WHERE a.kind = 'attach' AND a.queue_type = 'async' AND NOT q.leaves_out AND ((k.region IS NOT NULL AND NOT q.in_parallel) OR p.region IS NOT NULL)
),
heard_calls AS (
  SELECT c.run_id, c.example, c.region, c.key, c.op, c.op_id, c.token, c.member, c.thread, c.called_at, c.returned_at,
    h.queue, h.site, h.in_parallel, h.acknowledged
  FROM lined_up c
  JOIN heard_regions h ON h.run_id = c.run_id AND h.example = c.example AND h.region = c.region AND h.site = c.site
  ANTI JOIN meddled m ON m.run_id = c.run_id AND m.example = c.example AND m.region = c.region AND m.key = c.key
  WHERE c.effect = 'sure' AND c.op IN ('put', 'create', 'destroy') AND c.least_site = c.greatest_site
    AND (h.in_parallel OR (coalesce(c.busy_until, -1) < c.called_at AND coalesce(c.next_call, 9223372036854775807) > c.over_at))
    AND (h.acknowledged OR c.least_thread = c.greatest_thread)
),
heard_first AS (
  SELECT run_id, example, queue, op_id, min(seq) AS offered_at, min(seen_after) AS offered_after
  FROM offers
  GROUP BY run_id, example, queue, op_id
),
nameless_offers AS (
  SELECT run_id, example, queue, region, key, min(seq) AS offered_at, min(seen_after) AS offered_after
  FROM ev
  WHERE kind = 'async_event' AND op_id IS NULL AND event = 'destroy'
  GROUP BY run_id, example, queue, region, key
),
owed_offers AS (
  SELECT h.run_id, h.example, h.region, h.key, h.op_id, h.queue, h.site, h.in_parallel, h.called_at, h.returned_at,
    r.rest_at, h.queue || ', ' || h.region || '/' || h.key AS subject,
    coalesce(f.offered_at, n.offered_at) AS offered_at, coalesce(f.offered_after, n.offered_after) AS offered_after,
    h.op || ' ' || coalesce(h.token, '') || ' on ' || h.member
      || CASE WHEN coalesce(f.offered_at, n.offered_at) IS NULL THEN ' never' ELSE '' END || ' came to a listener' AS witness
  FROM heard_calls h
  JOIN rest r ON r.run_id = h.run_id AND r.example = h.example AND h.returned_at < r.rest_at
  ANTI JOIN gone g ON g.run_id = h.run_id AND g.example = h.example
  LEFT JOIN heard_first f ON f.run_id = h.run_id AND f.example = h.example AND f.queue = h.queue AND f.op_id = h.op_id
  LEFT JOIN nameless_offers n ON n.run_id = h.run_id AND n.example = h.example AND n.queue = h.queue
    AND n.region = h.region AND n.key = h.key AND h.op = 'destroy'
)
