-- part: Regions of which not all, or not all in its order, crosses to another site: by a queue that conflates
--   or has a filter, or by one of several lanes that keep the order of threads only.
-- columns:
-- needs: feeds
lossy AS (
  SELECT DISTINCT run_id, example, region
  FROM feeds
  WHERE leaves_out OR (lanes > 1 AND ordered_by = 'thread')
)
