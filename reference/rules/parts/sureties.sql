-- part: Operations that surely changed their key everywhere, one after the other (without acknowledgements: of
--   keys that only one thread changes; without checks: of keys that nothing else can have left different on two
--   members), and when all had come to rest behind them and before them.
-- columns: run_id, example, seq, kind, region, key, member, thread, op, op_id, token, amount
-- needs: changes, served, clientele, meddled
turns AS (
  SELECT c.run_id, c.example, c.region, c.key, c.op, c.op_id, c.token, c.member, c.called_at, c.returned_at, c.over_at,
    CASE WHEN c.effect = 'sure' AND c.op = 'invalidate' AND k.client IS NOT NULL THEN 'unsure' ELSE c.effect END AS effect,
    k.client IS NOT NULL AS of_client, k.first_server AS by_server, c.member || ' ' || c.thread AS caller
  FROM changes c
  LEFT JOIN clientele k ON k.run_id = c.run_id AND k.example = c.example AND k.client = c.member
  WHERE c.effect <> 'none'
),
in_turn AS (
  SELECT run_id, example, region, key, op, op_id, token, member, called_at, returned_at, over_at, effect, of_client, by_server,
    max(over_at) OVER (
      PARTITION BY run_id, example, region, key ORDER BY called_at NULLS LAST
      ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING
    ) AS busy_until,
    lead(called_at) OVER (PARTITION BY run_id, example, region, key ORDER BY called_at NULLS LAST) AS next_call,
    lag(op) OVER (PARTITION BY run_id, example, region, key ORDER BY called_at NULLS LAST) AS op_before,
    lag(called_at) OVER (PARTITION BY run_id, example, region, key ORDER BY called_at NULLS LAST) AS call_before,
    min(caller) OVER (PARTITION BY run_id, example, region, key) AS least_caller,
    max(caller) OVER (PARTITION BY run_id, example, region, key) AS greatest_caller
  FROM turns
),
blurred AS (
  SELECT DISTINCT run_id, example, region, key
  FROM in_turn
  WHERE effect <> 'sure' OR op = 'invalidate' OR coalesce(busy_until, -1) > called_at
),
rests AS (
  SELECT run_id, example, seq
  FROM ev
  WHERE kind = 'settle' AND amount = 0
),
alone AS (
  SELECT t.run_id, t.example, t.region, t.key, t.op, t.op_id, t.token, t.member, t.called_at, t.returned_at, t.of_client,
    t.by_server, t.op_before, t.call_before
  FROM in_turn t
  JOIN served s ON s.run_id = t.run_id AND s.example = t.example AND s.region = t.region
  ANTI JOIN meddled m ON m.run_id = t.run_id AND m.example = t.example AND m.region = t.region AND m.key = t.key
  ANTI JOIN gone g ON g.run_id = t.run_id AND g.example = t.example AND NOT s.acknowledged
  ANTI JOIN blurred b ON b.run_id = t.run_id AND b.example = t.example AND b.region = t.region AND b.key = t.key
    AND NOT s.checked
  WHERE t.effect = 'sure' AND coalesce(t.busy_until, -1) < t.called_at
    AND coalesce(t.next_call, 9223372036854775807) > t.over_at
    AND (s.acknowledged OR t.least_caller = t.greatest_caller)
),
sureties AS (
  SELECT a.run_id, a.example, a.region, a.key, a.op, a.op_id, a.token, a.member, a.called_at, a.returned_at, a.of_client,
    a.by_server, a.op_before, a.call_before,
    min(CASE WHEN r.seq > a.returned_at THEN r.seq END) AS rest_at,
    coalesce(max(CASE WHEN r.seq < a.called_at THEN r.seq END), -1) AS rested_at
  FROM alone a
  JOIN rests r ON r.run_id = a.run_id AND r.example = a.example
  GROUP BY a.run_id, a.example, a.region, a.key, a.op, a.op_id, a.token, a.member, a.called_at, a.returned_at, a.of_client,
    a.by_server, a.op_before, a.call_before
  HAVING max(r.seq) > a.returned_at
)
