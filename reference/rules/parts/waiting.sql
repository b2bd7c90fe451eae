-- part: Looks at what a member holds of a parallel asynchronous queue, all having come to rest and no member lost;
--   and the operations of keys on it that must wait there: the queue was paused on their primary when they were
--   called, or its listener stands at a gate with them or in front of them.
-- columns: run_id, example, seq, kind, member, region, key, op, op_id, queue, queue_type, token, name, batch, status,
--   question
-- needs: placed, owed_offers, looks, broken
parallel_looks AS (
  SELECT l.run_id, l.example, l.seq, l.member, l.queue, l.amount, l.quiet_from, l.stretch
  FROM looks l
  JOIN async_queues q ON q.run_id = l.run_id AND q.example = l.example AND q.queue = l.queue AND q.in_parallel
  ANTI JOIN gone g ON g.run_id = l.run_id AND g.example = l.example
  WHERE l.quiet_from IS NOT NULL
),
scripted AS (
  SELECT DISTINCT run_id, example, queue
  FROM ev
  WHERE kind = 'inject' AND name = 'queue'
),
led_keys AS (
  SELECT run_id, example, region, key, min(member) AS leads
  FROM placed
  WHERE role = 'primary'
  GROUP BY run_id, example, region, key
  HAVING min(member) = max(member)
),
queue_stands AS (
  SELECT o.run_id, o.example, o.queue, o.member, min(o.batch) AS batch, g.seq AS parked_at,
    coalesce(min(r.seq), 9223372036854775807) AS until_at
  FROM ev g
  JOIN offers o ON o.run_id = g.run_id AND o.example = g.example AND o.op_id = g.op_id AND o.member = g.member
  LEFT JOIN ev r ON r.run_id = g.run_id AND r.example = g.example AND r.op_id = g.op_id AND r.member = g.member
    AND r.kind = 'gate_release'
  WHERE g.kind = 'gate_park' AND g.name = 'queue'
  GROUP BY o.run_id, o.example, o.queue, o.member, g.seq
),
held_back AS (
  SELECT l.run_id, l.example, l.seq, l.member, l.queue, h.op_id, h.region, h.key, k.leads, b.broke_at AS since_at
  FROM parallel_looks l
  JOIN heard_calls h ON h.run_id = l.run_id AND h.example = l.example AND h.queue = l.queue AND h.returned_at < l.quiet_from
    AND h.op <> 'destroy'
  JOIN led_keys k ON k.run_id = h.run_id AND k.example = h.example AND k.region = h.region AND k.key = h.key
  JOIN broken b ON b.run_id = l.run_id AND b.example = l.example AND b.what = 'pause' AND b.member = k.leads
    AND b.queue = l.queue AND b.broke_at < h.called_at AND l.seq < b.mended_at
  ANTI JOIN scripted s ON s.run_id = l.run_id AND s.example = l.example AND s.queue = l.queue
  UNION
  SELECT l.run_id, l.example, l.seq, l.member, l.queue, h.op_id, h.region, h.key, k.leads, q.parked_at AS since_at
  FROM parallel_looks l
  JOIN heard_calls h ON h.run_id = l.run_id AND h.example = l.example AND h.queue = l.queue AND h.returned_at < l.quiet_from
    AND h.op <> 'destroy'
  JOIN led_keys k ON k.run_id = h.run_id AND k.example = h.example AND k.region = h.region AND k.key = h.key
  JOIN queue_stands q ON q.run_id = l.run_id AND q.example = l.example AND q.queue = l.queue AND q.member = k.leads
    AND q.parked_at < l.quiet_from AND l.seq < q.until_at
  ANTI JOIN offers o ON o.run_id = h.run_id AND o.example = h.example AND o.queue = h.queue AND o.op_id = h.op_id
    AND o.member = k.leads AND o.batch < q.batch AND o.status = 'true'
),
here_waiting AS (
  SELECT w.run_id, w.example, w.seq, w.member, w.queue, w.op_id, w.region, w.key
  FROM held_back w
  SEMI JOIN placed p ON p.run_id = w.run_id AND p.example = w.example AND p.region = w.region AND p.key = w.key
    AND p.member = w.member
),
waiting AS (
  SELECT w.run_id, w.example, w.seq, w.member, w.queue, l.amount, count(DISTINCT w.op_id) AS must_wait,
    count(DISTINCT o.op_id) AS dealt_with, w.queue || ' on ' || w.member AS subject,
    'holds ' || CAST(l.amount AS STRING) || ' of ' || CAST(count(DISTINCT w.op_id) AS STRING) || ' events that must wait there'
      AS witness
  FROM here_waiting w
  JOIN parallel_looks l ON l.run_id = w.run_id AND l.example = w.example AND l.seq = w.seq
  LEFT JOIN offers o ON o.run_id = w.run_id AND o.example = w.example AND o.queue = w.queue AND o.seq < w.seq
    AND o.status = 'true' AND o.called_at < o.seq
  ANTI JOIN held_back b ON b.run_id = o.run_id AND b.example = o.example AND b.queue = o.queue AND b.op_id = o.op_id
    AND b.seq = w.seq
  GROUP BY w.run_id, w.example, w.seq, w.member, w.queue, l.amount
)
