-- part: Examples in which something happens on which it may depend what clients are sent in more ways than
--   the rules follow.
-- columns: run_id, example, kind, cause
-- needs:
upset AS (
  SELECT DISTINCT run_id, example
  FROM ev
  WHERE kind IN ('inject', 'clock_set', 'advance', 'tx_begin', 'member_pause', 'memory', 'region_close', 'redeliver',
      'queue_host', 'link', 'client_close_begin', 'loader_call', 'filter_call', 'callback_error')
    OR (kind = 'listener' AND cause IN ('expiration', 'eviction'))
)
