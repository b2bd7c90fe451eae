-- part: What members and clients held when all had come to rest and no gate was armed: since which settle point, what was done last,
--   and when the client registered last.
-- columns: run_id, example, seq, kind, member, client, region, key, state_after, value, amount
-- needs: served
passages AS (
  SELECT run_id, example, seq, kind, member, client, region, key, state_after, value,
    max(CASE WHEN kind = 'settle' AND amount = 0 THEN seq END) OVER (
      PARTITION BY run_id, example ORDER BY seq NULLS LAST ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW
    ) AS rested_at,
    max(CASE WHEN kind IN ('op_begin', 'crash', 'member_start', 'member_stop', 'gate_release') THEN seq END) OVER (
      PARTITION BY run_id, example ORDER BY seq NULLS LAST ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW
    ) AS busy_at,
    max(CASE WHEN kind IN ('ri_begin', 'unregister_begin') THEN seq END) OVER (
      PARTITION BY run_id, example, client ORDER BY seq NULLS LAST ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW
    ) AS registered_at,
    sum(CASE kind WHEN 'gate_arm' THEN 1 WHEN 'gate_release' THEN -1 ELSE 0 END) OVER (
      PARTITION BY run_id, example ORDER BY seq NULLS LAST ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW
    ) AS gates
  FROM ev
  WHERE kind IN ('op_begin', 'crash', 'member_start', 'member_stop', 'gate_arm', 'gate_release', 'ri_begin',
    'unregister_begin', 'settle', 'content', 'final_value')
),
sights AS (
  SELECT p.run_id, p.example, p.seq, p.member, p.client, coalesce(p.member, p.client) AS holder, p.region, p.key,
    p.state_after AS state, p.state_after || coalesce(' ' || p.value, '') AS what, p.busy_at,
    coalesce(p.registered_at, -1) AS registered_at
  FROM passages p
  SEMI JOIN served s ON s.run_id = p.run_id AND s.example = p.example AND s.region = p.region
  WHERE p.kind IN ('content', 'final_value') AND p.rested_at > p.busy_at AND p.gates <= 0
)
