-- part: Transactions and when their commit was called and returned; and the changes that were called in them.
-- columns: run_id, example, seq, kind, member, region, key, op, op_id, token, tx_id, status, policy, checks, scope
-- needs:
troubles AS (
  SELECT DISTINCT run_id, example
  FROM ev
  WHERE kind IN ('crash', 'member_stop', 'region_close', 'advance', 'redeliver', 'client_start', 'queue_host')
    OR op IN ('clear', 'local_clear', 'destroy_region', 'invalidate_region', 'put_all', 'remove_all')
),
tx_ends AS (
  SELECT b.run_id, b.example, b.tx_id, b.member, min(c.seq) AS called_at, min(e.seq) AS returned_at,
    bool_or(coalesce(e.status, '') = 'ok') AS committed
  FROM ev b
  LEFT JOIN ev c ON c.run_id = b.run_id AND c.example = b.example AND c.tx_id = b.tx_id AND c.kind = 'op_begin' AND c.op = 'tx_commit'
  LEFT JOIN ev e ON e.run_id = b.run_id AND e.example = b.example AND e.tx_id = b.tx_id AND e.kind = 'tx_commit'
  WHERE b.kind = 'tx_begin'
  GROUP BY b.run_id, b.example, b.tx_id, b.member
),
tx_changes AS (
  SELECT b.run_id, b.example, b.tx_id, b.member, b.region, b.key, b.op, b.op_id, b.token, b.seq, e.status
  FROM ev b
  LEFT JOIN ev e ON e.run_id = b.run_id AND e.example = b.example AND e.op_id = b.op_id AND e.kind = 'op_end'
  SEMI JOIN tx_ends t ON t.run_id = b.run_id AND t.example = b.example AND t.tx_id = b.tx_id
  WHERE b.kind = 'op_begin' AND b.key IS NOT NULL AND b.op <> 'get' AND b.op <> 'contains_key'
),
lone_transactions AS (
  SELECT run_id, example
  FROM tx_ends
  GROUP BY run_id, example
  HAVING count(DISTINCT tx_id) = 1
),
last_changes AS (
  SELECT c.run_id, c.example, c.tx_id, c.member, c.region, c.key, c.op, c.op_id, c.token, t.called_at, t.returned_at,
    CASE c.op WHEN 'put' THEN 'valid ' || c.token WHEN 'destroy' THEN 'absent' ELSE 'invalid' END AS ought,
    row_number() OVER (PARTITION BY c.run_id, c.example, c.tx_id, c.region, c.key ORDER BY c.seq DESC NULLS LAST) AS from_last,
    bool_and(c.op IN ('put', 'destroy', 'invalidate') AND coalesce(c.status, '') = 'ok')
      OVER (PARTITION BY c.run_id, c.example, c.tx_id, c.region, c.key) AS sure
  FROM tx_changes c
  JOIN tx_ends t ON t.run_id = c.run_id AND t.example = c.example AND t.tx_id = c.tx_id AND t.committed
  SEMI JOIN lone_transactions l ON l.run_id = c.run_id AND l.example = c.example
),
outside_transactions AS (
  SELECT b.run_id, b.example, b.region, b.key, b.op_id, b.token, b.seq AS called_at, coalesce(e.seq, 9223372036854775807) AS returned_at
  FROM ev b
  LEFT JOIN ev e ON e.run_id = b.run_id AND e.example = b.example AND e.op_id = b.op_id AND e.kind = 'op_end' AND e.status <> 'indefinite'
  WHERE b.kind = 'op_begin' AND b.tx_id IS NULL AND b.key IS NOT NULL AND b.op <> 'get' AND b.op <> 'contains_key'
),
checked_replicates AS (
  SELECT r.run_id, r.example, r.member, r.region, coalesce(r.scope, '') = 'distributed_ack' AS acknowledged
  FROM ev r
  ANTI JOIN troubles t ON t.run_id = r.run_id AND t.example = r.example
  WHERE r.kind = 'region_host' AND r.policy = 'replicate' AND coalesce(r.checks, true)
)
