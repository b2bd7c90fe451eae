-- part: Examples with anything that may make a sender send again or another member take over.
-- columns: run_id, example, kind, status
-- needs:
troubled AS (
  SELECT DISTINCT run_id, example
  FROM ev
  WHERE kind IN ('crash', 'member_stop', 'member_pause', 'queue_stop', 'queue_pause', 'redeliver', 'inject')
    OR (kind = 'link' AND coalesce(status, '') <> 'up')
)
