-- part: The calls that change a key everywhere, with what their end says: sure or unsure of an effect, or
--   none. A client changes nothing elsewhere in a region without a pool.
-- columns: run_id, example, seq, kind, site, member, client, thread, region, key, op, op_id, token, status,
--   value, policy
-- needs:
changes AS (
  SELECT c.run_id, c.example, c.region, c.key, c.op, c.op_id, c.token, c.site, coalesce(c.member, c.client) AS member, c.thread,
    c.seq AS called_at, a.seq AS returned_at,
    CASE WHEN a.status = 'ok' THEN a.seq ELSE 9223372036854775807 END AS over_at,
    CASE
      WHEN a.status IN ('exists', 'absent', 'failed', 'refused') THEN 'none'
      WHEN a.status = 'ok' AND c.op = 'put_if_absent' AND a.value IS NOT NULL THEN 'none'
      WHEN a.status = 'ok' AND c.op IN ('replace_if_equal', 'remove_if_equal') AND a.value = 'false' THEN 'none'
      WHEN a.status = 'ok' AND c.op IN ('put', 'create', 'destroy', 'invalidate') THEN 'sure'
      ELSE 'unsure'
    END AS effect
  FROM ev c
  LEFT JOIN ev a ON a.run_id = c.run_id AND a.example = c.example AND a.op_id = c.op_id AND a.kind = 'op_end'
  ANTI JOIN ev h ON h.run_id = c.run_id AND h.example = c.example AND h.client = c.client AND h.region = c.region
    AND h.kind = 'region_host' AND h.policy = 'local'
  WHERE c.kind = 'op_begin' AND c.op IN
    ('put', 'create', 'put_if_absent', 'replace', 'replace_if_equal', 'remove_if_equal', 'invalidate', 'destroy')
)
