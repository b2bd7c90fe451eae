-- part: Which region's events go from which site to which other, by which gateway sender.
-- columns: run_id, example, kind, region, site, peer, queue, queue_type, parallel, dispatchers, order_policy,
--   conflates, filters
-- needs:
feeds AS (
  SELECT DISTINCT h.run_id, h.example, a.region, h.queue, h.site AS from_site, try_cast(h.peer AS BIGINT) AS to_site,
    coalesce(h.parallel, false) AS in_parallel, coalesce(h.conflates, false) OR coalesce(h.filters, false) AS leaves_out,
    coalesce(h.dispatchers, 1) AS lanes, coalesce(h.order_policy, 'key') AS ordered_by
  FROM ev h
  JOIN ev a ON a.run_id = h.run_id AND a.example = h.example AND a.queue = h.queue
    AND a.kind = 'attach' AND a.queue_type = 'wan'
  WHERE h.kind = 'queue_host' AND h.queue_type = 'wan'
)
