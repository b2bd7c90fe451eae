-- part: Examples in which something is done that events may depend on in more ways than the rules follow. What the
--   listener of an asynchronous queue answers is nothing to others.
-- columns: run_id, example, kind, cause, name
-- needs:
odd AS (
  SELECT DISTINCT run_id, example
  FROM ev
  WHERE kind IN ('clock_set', 'tx_begin', 'member_pause', 'memory', 'region_close', 'client_start',
      'loader_call', 'filter_call', 'resolver_call', 'callback_error')
    OR (kind = 'listener' AND cause IN ('expiration', 'eviction')) OR (kind = 'inject' AND name NOT IN ('queue', 'writer'))
),
unusual AS (
  SELECT run_id, example
  FROM odd
  UNION
  SELECT DISTINCT run_id, example
  FROM ev
  WHERE kind = 'inject' AND name = 'writer'
)
