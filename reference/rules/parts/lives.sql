-- part: Lives of durable clients that do not conflate: when each began and ended, how it ended and how the one before it had, when the
--   client became ready, when all rested behind that, and how much time had passed while it was away; in examples
--   in which nothing else happens that clients may depend on in more ways than the rules follow, and no member is lost
--   unless a rule asks for all of them.
-- columns: run_id, example, seq, kind, client, durable_id, keep_alive, timeout_ms, order_strength, amount, cause, conflates
-- needs:
restless AS (
  SELECT DISTINCT run_id, example
  FROM ev
  WHERE kind IN ('inject', 'tx_begin', 'member_stop', 'member_pause', 'memory', 'region_close', 'redeliver', 'queue_host',
      'link', 'loader_call', 'filter_call', 'callback_error')
    OR (kind = 'listener' AND cause IN ('expiration', 'eviction'))
),
announced AS (
  SELECT run_id, example, client, CASE WHEN min(timeout_ms) = max(timeout_ms) THEN min(timeout_ms) END AS waits_ms
  FROM ev
  WHERE kind = 'client_start'
  GROUP BY run_id, example, client
),
durables AS (
  SELECT c.run_id, c.example, c.client, c.order_strength AS log_order, a.waits_ms
  FROM ev c
  JOIN announced a ON a.run_id = c.run_id AND a.example = c.example AND a.client = c.client
  SEMI JOIN ev h ON h.run_id = c.run_id AND h.example = c.example AND h.client = c.client AND h.kind = 'observed'
  ANTI JOIN restless x ON x.run_id = c.run_id AND x.example = c.example
  ANTI JOIN ev f ON f.run_id = c.run_id AND f.example = c.example AND f.client = c.client AND f.kind = 'client_start'
    AND coalesce(f.conflates, false)
  WHERE c.kind = 'client_start' AND c.durable_id IS NOT NULL
),
turnings AS (
  SELECT e.run_id, e.example, e.client, e.seq,
    CASE e.kind WHEN 'client_start' THEN 'begun' WHEN 'crash' THEN 'crashed'
      ELSE CASE WHEN coalesce(e.keep_alive, false) THEN 'kept' ELSE 'closed' END END AS turning
  FROM ev e
  SEMI JOIN durables d ON d.run_id = e.run_id AND d.example = e.example AND d.client = e.client
  WHERE e.kind IN ('client_start', 'client_close_begin', 'crash')
),
neighbouring AS (
  SELECT run_id, example, client, seq AS begun_at, turning,
    lag(turning) OVER (PARTITION BY run_id, example, client ORDER BY seq NULLS LAST) AS left_how,
    lag(seq) OVER (PARTITION BY run_id, example, client ORDER BY seq NULLS LAST) AS left_at,
    lag(seq, 2) OVER (PARTITION BY run_id, example, client ORDER BY seq NULLS LAST) AS before_at,
    lead(turning) OVER (PARTITION BY run_id, example, client ORDER BY seq NULLS LAST) AS ends_how,
    coalesce(lead(seq) OVER (PARTITION BY run_id, example, client ORDER BY seq NULLS LAST), 9223372036854775807) AS ended_at,
    coalesce(lead(seq, 2) OVER (PARTITION BY run_id, example, client ORDER BY seq NULLS LAST), 9223372036854775807) AS back_at
  FROM turnings
),
gatings AS (
  SELECT run_id, example, seq, kind, amount,
    sum(CASE kind WHEN 'gate_arm' THEN 1 WHEN 'gate_release' THEN -1 ELSE 0 END) OVER (
      PARTITION BY run_id, example ORDER BY seq NULLS LAST ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW
    ) AS gates
  FROM ev
  WHERE kind IN ('gate_arm', 'gate_release', 'settle')
),
open_rests AS (
  SELECT run_id, example, seq
  FROM gatings
  WHERE kind = 'settle' AND amount = 0 AND gates <= 0
),
readied AS (
  SELECT n.run_id, n.example, n.client, n.begun_at, min(r.seq) AS ready_at
  FROM neighbouring n
  JOIN ev r ON r.run_id = n.run_id AND r.example = n.example AND r.client = n.client AND r.kind = 'ready'
    AND r.seq > n.begun_at AND r.seq < n.ended_at
  GROUP BY n.run_id, n.example, n.client, n.begun_at
),
rested_ready AS (
  SELECT r.run_id, r.example, r.client, r.begun_at, min(s.seq) AS rest_at
  FROM readied r
  JOIN neighbouring n ON n.run_id = r.run_id AND n.example = r.example AND n.client = r.client AND n.begun_at = r.begun_at
  JOIN open_rests s ON s.run_id = r.run_id AND s.example = r.example AND s.seq > r.ready_at AND s.seq < n.ended_at
  GROUP BY r.run_id, r.example, r.client, r.begun_at
),
absences AS (
  SELECT n.run_id, n.example, n.client, n.begun_at, coalesce(sum(a.amount), 0) AS away_ms
  FROM neighbouring n
  LEFT JOIN ev a ON a.run_id = n.run_id AND a.example = n.example AND a.kind = 'advance' AND a.seq > n.left_at
    AND a.seq < n.begun_at
  GROUP BY n.run_id, n.example, n.client, n.begun_at
),
all_lives AS (
  SELECT n.run_id, n.example, n.client, d.log_order, d.waits_ms, n.begun_at, n.left_how, n.left_at, n.before_at, n.ends_how,
    n.ended_at, n.back_at, coalesce(r.ready_at, 9223372036854775807) AS ready_at, s.rest_at, a.away_ms
  FROM neighbouring n
  JOIN durables d ON d.run_id = n.run_id AND d.example = n.example AND d.client = n.client
  JOIN absences a ON a.run_id = n.run_id AND a.example = n.example AND a.client = n.client AND a.begun_at = n.begun_at
  LEFT JOIN readied r ON r.run_id = n.run_id AND r.example = n.example AND r.client = n.client AND r.begun_at = n.begun_at
  LEFT JOIN rested_ready s ON s.run_id = n.run_id AND s.example = n.example AND s.client = n.client
    AND s.begun_at = n.begun_at
  WHERE n.turning = 'begun'
),
lives AS (
  SELECT l.run_id, l.example, l.client, l.log_order, l.waits_ms, l.begun_at, l.left_how, l.left_at, l.before_at, l.ends_how,
    l.ended_at, l.back_at, l.ready_at, l.rest_at, l.away_ms
  FROM all_lives l
  ANTI JOIN ev x ON x.run_id = l.run_id AND x.example = l.example AND x.kind = 'crash' AND x.client IS NULL
)
