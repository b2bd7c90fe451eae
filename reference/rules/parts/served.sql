-- part: Regions that every member keeps whole, of single keys only, and what is configured for them where
--   there are clients.
-- columns: run_id, example, kind, member, region, policy, scope, checks, key, op
-- needs: upset
with_clients AS (
  SELECT DISTINCT run_id, example
  FROM ev
  WHERE kind = 'client_start'
),
swept AS (
  SELECT DISTINCT run_id, example, region
  FROM ev
  WHERE kind = 'op_begin' AND (key IS NULL OR op IN ('put_all', 'remove_all', 'replace_if_equal', 'remove_if_equal'))
),
served AS (
  SELECT r.run_id, r.example, r.region, bool_and(coalesce(r.checks, true)) AS checked,
    bool_and(coalesce(r.scope, '') = 'distributed_ack') AS acknowledged
  FROM ev r
  SEMI JOIN with_clients c ON c.run_id = r.run_id AND c.example = r.example
  ANTI JOIN upset u ON u.run_id = r.run_id AND u.example = r.example
  ANTI JOIN swept w ON w.run_id = r.run_id AND w.example = r.example AND w.region = r.region
  WHERE r.kind = 'region_host' AND r.policy IS NOT NULL AND r.member IS NOT NULL
  GROUP BY r.run_id, r.example, r.region
  HAVING min(r.policy) = 'replicate' AND max(r.policy) = 'replicate'
)
