-- part: Keys of which one member's copy was changed alone, or about which a conflict resolver was asked.
-- columns: run_id, example, kind, region, key, op
-- needs:
meddled AS (
  SELECT DISTINCT run_id, example, region, key
  FROM ev
  WHERE (kind = 'op_begin' AND op IN ('local_destroy', 'local_invalidate', 'expire_local_destroy', 'expire_local_invalidate', 'evict')) OR kind = 'resolver_call'
)
