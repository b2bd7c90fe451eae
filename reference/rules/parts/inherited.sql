-- part: Puts and creates of a key of a partitioned region with a parallel asynchronous queue that were called before
--   the key's primary was killed, the only member lost, a redundant copy being left: whether each had returned, how
--   often the dead member's listener received it, dealt with it or stood at a gate with it then; and whether
--   another's receives it. What the primary's listener received was in the redundant copies before.
-- columns: run_id, example, seq, kind, member, region, key, op, op_id, queue, queue_type, name, batch, status
-- needs: placed, owed_offers
killed AS (
  SELECT d.run_id, d.example, d.member, d.died_at
  FROM deaths d
  ANTI JOIN gone g ON g.run_id = d.run_id AND g.example = d.example AND g.member <> d.member
  ANTI JOIN ev s ON s.run_id = d.run_id AND s.example = d.example AND s.kind = 'member_start' AND s.seq > d.died_at
),
standing_calls AS (
  SELECT DISTINCT o.run_id, o.example, o.queue, o.member, o.batch
  FROM offers o
  JOIN killed d ON d.run_id = o.run_id AND d.example = o.example AND d.member = o.member
  JOIN ev g ON g.run_id = o.run_id AND g.example = o.example AND g.op_id = o.op_id AND g.member = o.member
    AND g.kind = 'gate_park' AND g.name = 'queue' AND g.seq < d.died_at
  ANTI JOIN ev r ON r.run_id = o.run_id AND r.example = o.example AND r.op_id = o.op_id AND r.member = o.member
    AND r.kind = 'gate_release' AND r.seq < d.died_at
  WHERE o.last_batch = o.batch
),
inherited AS (
  SELECT h.run_id, h.example, h.queue, h.op_id, r.rest_at, h.returned_at < d.died_at AS returned,
    h.queue || ', ' || h.region || '/' || h.key AS subject,
    count(DISTINCT CASE WHEN o.member = d.member THEN o.batch END) AS given,
    count(CASE WHEN o.member = d.member AND o.status = 'true' AND s.run_id IS NULL THEN 1 END) AS done,
    count(CASE WHEN s.run_id IS NOT NULL THEN 1 END) AS standing,
    count(CASE WHEN o.member <> d.member THEN 1 END) AS taken_up,
    h.op || ' ' || coalesce(h.token, '') || ' on ' || h.member || ', of which ' || d.member || ' was primary'
      || CASE WHEN count(CASE WHEN o.member <> d.member THEN 1 END) = 0 THEN ', never' ELSE '' END
      || ' came to the listener of another' AS witness
  FROM heard_calls h
  JOIN killed d ON d.run_id = h.run_id AND d.example = h.example AND h.called_at < d.died_at
  JOIN rest r ON r.run_id = h.run_id AND r.example = h.example AND r.rest_at > d.died_at AND r.rest_at > h.returned_at
  JOIN placed p ON p.run_id = h.run_id AND p.example = h.example AND p.region = h.region AND p.key = h.key
    AND p.member = d.member AND p.role = 'primary' AND p.placed_at < d.died_at
  SEMI JOIN placed c ON c.run_id = h.run_id AND c.example = h.example AND c.region = h.region AND c.key = h.key
    AND c.role = 'secondary' AND c.member <> d.member AND c.placed_at < d.died_at
  LEFT JOIN offers o ON o.run_id = h.run_id AND o.example = h.example AND o.queue = h.queue AND o.op_id = h.op_id
  LEFT JOIN standing_calls s ON s.run_id = o.run_id AND s.example = o.example AND s.queue = o.queue AND s.member = o.member
    AND s.batch = o.batch
  WHERE h.in_parallel AND h.op <> 'destroy'
  GROUP BY h.run_id, h.example, h.queue, h.op_id, r.rest_at, h.region, h.key, h.op, h.token, h.member, d.member,
    h.returned_at, d.died_at
)
