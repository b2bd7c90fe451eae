-- part: Puts and creates of others, each alone on its key while under way, and the lives of durable clients that had
--   registered for the key with values, in that life or the one before, and call nothing on the key; how often such a
--   life was told of it. Those that servers surely kept until the client was ready.
-- columns: run_id, example, seq, kind, member, client, region, policy, scope, key, op, op_id, durable, receive_values,
--   log_pos
-- needs: lives, changes, served, meddled
wholes AS (
  SELECT r.run_id, r.example, r.region
  FROM ev r
  SEMI JOIN durables d ON d.run_id = r.run_id AND d.example = r.example
  ANTI JOIN swept w ON w.run_id = r.run_id AND w.example = r.example AND w.region = r.region
  ANTI JOIN ev h ON h.run_id = r.run_id AND h.example = r.example AND h.region = r.region AND h.kind = 'region_host'
    AND h.policy = 'local'
  WHERE r.kind = 'region_host' AND r.policy IS NOT NULL AND r.member IS NOT NULL
  GROUP BY r.run_id, r.example, r.region
  HAVING min(r.policy) = 'replicate' AND max(r.policy) = 'replicate' AND min(coalesce(r.scope, '')) = 'distributed_ack'
    AND max(coalesce(r.scope, '')) = 'distributed_ack'
),
singles AS (
  SELECT c.run_id, c.example, c.region, c.key, c.op, c.op_id, c.token, c.member, c.called_at, c.returned_at
  FROM changes c
  SEMI JOIN wholes w ON w.run_id = c.run_id AND w.example = c.example AND w.region = c.region
  ANTI JOIN meddled m ON m.run_id = c.run_id AND m.example = c.example AND m.region = c.region AND m.key = c.key
  ANTI JOIN changes o ON o.run_id = c.run_id AND o.example = c.example AND o.region = c.region AND o.key = c.key
    AND o.op_id <> c.op_id AND o.effect <> 'none' AND o.called_at < c.over_at AND o.over_at > c.called_at
  WHERE c.effect = 'sure' AND c.op IN ('put', 'create')
),
life_wants AS (
  SELECT l.run_id, l.example, l.client, l.begun_at, k.region, k.key, min(k.seq) AS from_at,
    bool_and(coalesce(k.durable, false)) AS lasts
  FROM all_lives l
  JOIN ev k ON k.run_id = l.run_id AND k.example = l.example AND k.client = l.client AND k.kind = 'ri_key'
    AND k.seq > l.begun_at AND k.seq < l.ended_at
  ANTI JOIN ev v ON v.run_id = l.run_id AND v.example = l.example AND v.client = l.client AND v.kind = 'ri_key'
    AND v.region = k.region AND v.key = k.key AND NOT coalesce(v.receive_values, true)
  ANTI JOIN ev u ON u.run_id = l.run_id AND u.example = l.example AND u.client = l.client AND u.region = k.region
    AND u.kind = 'unregister_begin'
  GROUP BY l.run_id, l.example, l.client, l.begun_at, k.region, k.key
),
told_in AS (
  SELECT l.run_id, l.example, l.client, l.begun_at, t.op_id, count(t.seq) AS times, min(t.log_pos) AS first_pos,
    min(t.seq) AS first_at
  FROM all_lives l
  JOIN ev t ON t.run_id = l.run_id AND t.example = l.example AND t.client = l.client AND t.kind = 'listener'
    AND t.op_id IS NOT NULL AND t.seq > l.begun_at AND t.seq < l.ended_at
  GROUP BY l.run_id, l.example, l.client, l.begun_at, t.op_id
),
matched AS (
  SELECT s.run_id, s.example, s.region, s.key, s.op, s.op_id, s.token, s.member, s.called_at, s.returned_at, l.client,
    l.log_order, l.waits_ms, l.away_ms, l.begun_at, l.left_how, l.left_at, l.before_at, l.ready_at, l.rest_at, l.ended_at,
    w.lasts, w.begun_at = l.begun_at AS wanted_now, coalesce(t.times, 0) AS times, t.first_pos, t.first_at,
    s.op || ' ' || coalesce(s.token, '') || ' on ' || s.member || ', told to ' || l.client || ' '
      || CAST(coalesce(t.times, 0) AS STRING) || ' times in one life' AS witness
  FROM singles s
  JOIN lives l ON l.run_id = s.run_id AND l.example = s.example AND l.client <> s.member AND l.ended_at > s.returned_at
  JOIN life_wants w ON w.run_id = s.run_id AND w.example = s.example AND w.client = l.client AND w.region = s.region
    AND w.key = s.key AND w.from_at < s.called_at AND (w.begun_at = l.begun_at OR w.begun_at = l.before_at)
  ANTI JOIN ev b ON b.run_id = s.run_id AND b.example = s.example AND b.client = l.client AND b.region = s.region
    AND b.key = s.key AND b.kind = 'op_begin'
  LEFT JOIN told_in t ON t.run_id = s.run_id AND t.example = s.example AND t.client = l.client
    AND t.begun_at = l.begun_at AND t.op_id = s.op_id
),
stored AS (
  SELECT run_id, example, region, key, op, op_id, called_at, returned_at, client, log_order, waits_ms, away_ms, begun_at,
    left_how, ready_at, rest_at, ended_at, times, first_pos, first_at, witness, wanted_now,
    coalesce(first_at, rest_at) AS judged_at, coalesce(first_at, 9223372036854775807) > rest_at AS withheld
  FROM matched
  WHERE returned_at < ready_at AND rest_at IS NOT NULL AND CASE WHEN wanted_now THEN called_at > begun_at
    ELSE lasts AND left_how <> 'closed' AND left_at < called_at AND returned_at < begun_at END
)
