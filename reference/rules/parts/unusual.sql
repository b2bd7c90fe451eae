-- part: Examples in which something is done that events may depend on in more ways than the rules follow.
-- columns: run_id, example, kind, cause
-- needs:
unusual AS (
  SELECT DISTINCT run_id, example
  FROM ev
  WHERE kind IN ('inject', 'clock_set', 'tx_begin', 'member_pause', 'memory', 'region_close', 'client_start',
      'loader_call', 'filter_call', 'resolver_call', 'callback_error')
    OR (kind = 'listener' AND cause IN ('expiration', 'eviction'))
)
