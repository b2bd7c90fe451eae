-- part: Regions that every member keeps whole, and what is configured for them.
-- columns: run_id, example, kind, region, policy, scope, checks, key, op
-- needs: unusual
wholesale AS (
  SELECT DISTINCT run_id, example, region
  FROM ev
  WHERE kind = 'op_begin' AND (key IS NULL OR op IN ('put_all', 'remove_all', 'replace_if_equal', 'remove_if_equal'))
),
kept_at_all AS (
  SELECT r.run_id, r.example, r.region, bool_and(coalesce(r.checks, true)) AS checked,
    bool_and(coalesce(r.scope, '') = 'distributed_ack') AS acknowledged
  FROM ev r
  ANTI JOIN odd u ON u.run_id = r.run_id AND u.example = r.example
  ANTI JOIN wholesale w ON w.run_id = r.run_id AND w.example = r.example AND w.region = r.region
  WHERE r.kind = 'region_host' AND r.policy IS NOT NULL
  GROUP BY r.run_id, r.example, r.region
  HAVING min(r.policy) = 'replicate' AND max(r.policy) = 'replicate'
),
kept AS (
  SELECT k.run_id, k.example, k.region, k.checked, k.acknowledged
  FROM kept_at_all k
  ANTI JOIN unusual u ON u.run_id = k.run_id AND u.example = k.example
)
