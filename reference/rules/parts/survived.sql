-- part: Puts and creates of others that a durable client away was owed, where no time was let pass meanwhile and servers
--   die: how many of the servers that kept its queue when it went were killed until it was back, and how many until all
--   rested behind its being ready; and how often it was told of each operation in the life that followed.
-- columns: run_id, example, seq, kind, client, server, amount
-- needs: stored, gone
keepers AS (
  SELECT c.run_id, c.example, c.client, m.server, coalesce(g.gone_at, 9223372036854775807) AS gone_at
  FROM ev c
  JOIN ev m ON m.run_id = c.run_id AND m.example = c.example AND m.client = c.client AND m.kind = 'may_serve'
    AND m.amount <= c.amount
  LEFT JOIN gone g ON g.run_id = m.run_id AND g.example = m.example AND g.member = m.server
  WHERE c.kind = 'client_start' AND c.amount IS NOT NULL
),
first_losses AS (
  SELECT run_id, example, min(gone_at) AS first_at, max(gone_at) AS last_at
  FROM gone
  GROUP BY run_id, example
),
kept_by AS (
  SELECT l.run_id, l.example, l.client, l.begun_at, l.left_at, l.ready_at, l.rest_at, count(k.server) AS many,
    count(CASE WHEN k.gone_at < l.begun_at THEN 1 END) AS lost_away,
    count(CASE WHEN k.gone_at > l.begun_at AND k.gone_at < l.ready_at THEN 1 END) AS lost_unready,
    count(CASE WHEN k.gone_at < 9223372036854775807 THEN 1 END) AS lost_ever
  FROM all_lives l
  JOIN first_losses f ON f.run_id = l.run_id AND f.example = l.example AND f.first_at > l.left_at
  SEMI JOIN open_rests s ON s.run_id = l.run_id AND s.example = l.example AND s.seq > l.ready_at AND s.seq > f.last_at
    AND s.seq < l.ended_at
  JOIN keepers k ON k.run_id = l.run_id AND k.example = l.example AND k.client = l.client
  WHERE l.left_how IN ('kept', 'crashed') AND l.away_ms = 0 AND l.rest_at IS NOT NULL
  GROUP BY l.run_id, l.example, l.client, l.begun_at, l.left_at, l.ready_at, l.rest_at
),
survived AS (
  SELECT s.run_id, s.example, s.region, s.key, s.op, s.op_id, b.client, b.begun_at, b.rest_at, b.many, b.lost_away,
    b.lost_unready, b.lost_ever, coalesce(t.times, 0) AS times, coalesce(t.first_at, b.rest_at) AS judged_at,
    s.op || ' ' || coalesce(s.token, '') || ' on ' || s.member || ', told to ' || b.client || ' '
      || CAST(coalesce(t.times, 0) AS STRING) || ' times; of ' || CAST(b.many AS STRING) || ' servers with its queue '
      || CAST(b.lost_away AS STRING) || ' died while it was away, ' || CAST(b.lost_ever AS STRING) || ' at all' AS witness
  FROM singles s
  JOIN kept_by b ON b.run_id = s.run_id AND b.example = s.example AND b.client <> s.member AND b.left_at < s.called_at
    AND s.returned_at < b.begun_at
  JOIN all_lives l ON l.run_id = b.run_id AND l.example = b.example AND l.client = b.client AND l.begun_at = b.begun_at
  SEMI JOIN life_wants w ON w.run_id = s.run_id AND w.example = s.example AND w.client = b.client AND w.region = s.region
    AND w.key = s.key AND w.from_at < s.called_at AND w.begun_at = l.before_at AND w.lasts
  ANTI JOIN ev o ON o.run_id = s.run_id AND o.example = s.example AND o.client = b.client AND o.region = s.region
    AND o.key = s.key AND o.kind = 'op_begin'
  LEFT JOIN told_in t ON t.run_id = s.run_id AND t.example = s.example AND t.client = b.client
    AND t.begun_at = b.begun_at AND t.op_id = s.op_id
)
