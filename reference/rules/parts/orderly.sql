-- part: Statistics asked for at rest, in examples of one site of replicates with checks and acknowledgements
--   in which single keys are changed, nothing fails, and nothing else happens: no member is lost, joins, or
--   is sent anything once more, and no time is let pass. And whether two calls that change a key overlap
--   anywhere.
-- columns: run_id, example, seq, kind, region, key, op, op_id, policy, scope, checks, status, amount, question, member, site,
--   client, thread, token, value
-- needs: changes
disturbed AS (
  SELECT run_id, example
  FROM ev
  WHERE kind IN ('crash', 'member_stop', 'member_pause', 'region_close', 'redeliver', 'advance', 'memory', 'queue_host',
      'client_start', 'inject', 'tx_begin', 'link')
    OR (kind = 'clock_set' AND coalesce(status, '') = 'runs')
    OR (kind = 'op_begin'
      AND op NOT IN ('put', 'create', 'put_if_absent', 'replace', 'invalidate', 'destroy', 'get', 'contains_key'))
    OR (kind = 'op_end' AND status IN ('failed', 'refused'))
    OR (kind = 'region_host'
      AND (coalesce(policy, '') <> 'replicate' OR NOT coalesce(checks, true) OR coalesce(scope, '') <> 'distributed_ack'))
),
turned AS (
  SELECT run_id, example, called_at, effect,
    max(coalesce(returned_at, 9223372036854775807)) OVER (
      PARTITION BY run_id, example, region, key ORDER BY called_at NULLS LAST
      ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING
    ) AS busy_until
  FROM changes
),
sited AS (
  SELECT run_id, example
  FROM ev
  WHERE kind = 'member_start'
  GROUP BY run_id, example
  HAVING count(DISTINCT site) > 1
),
overlapping AS (
  SELECT DISTINCT run_id, example
  FROM turned
  WHERE coalesce(busy_until, -1) > called_at
),
gauged AS (
  SELECT run_id, example, seq, kind, member, question,
    max(CASE WHEN kind IN ('op_begin', 'gate_arm', 'gate_release') THEN seq END) OVER (
      PARTITION BY run_id, example ORDER BY seq NULLS LAST ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW
    ) AS busy_at,
    max(CASE WHEN kind = 'settle' AND amount = 0 THEN seq END) OVER (
      PARTITION BY run_id, example ORDER BY seq NULLS LAST ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW
    ) AS rested_at
  FROM ev
  WHERE kind IN ('op_begin', 'gate_arm', 'gate_release', 'settle', 'stat_asked')
),
orderly AS (
  SELECT g.run_id, g.example, g.member, g.question, g.seq AS asked_at, o.run_id IS NOT NULL AS overlaps
  FROM gauged g
  ANTI JOIN disturbed d ON d.run_id = g.run_id AND d.example = g.example
  ANTI JOIN sited s ON s.run_id = g.run_id AND s.example = g.example
  LEFT JOIN overlapping o ON o.run_id = g.run_id AND o.example = g.example
  WHERE g.kind = 'stat_asked' AND g.rested_at > coalesce(g.busy_at, -1)
)
