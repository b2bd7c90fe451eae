-- part: Operations whose event is surely queued for another site: of keys that only one site changes, and at no time
--   with another change of the key under way (without acknowledgements: of keys that only one thread changes).
-- columns: run_id, example, region, key, site, member, thread, op, op_id, token
-- needs: feeds, gone, changes, kept, meddled
lined_up AS (
  SELECT run_id, example, region, key, op, op_id, token, site, member, thread, called_at, returned_at, over_at, effect,
    max(over_at) OVER (
      PARTITION BY run_id, example, region, key ORDER BY called_at NULLS LAST
      ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING
    ) AS busy_until,
    lead(called_at) OVER (PARTITION BY run_id, example, region, key ORDER BY called_at NULLS LAST) AS next_call,
    min(site) OVER (PARTITION BY run_id, example, region, key) AS least_site,
    max(site) OVER (PARTITION BY run_id, example, region, key) AS greatest_site,
    min(thread) OVER (PARTITION BY run_id, example, region, key) AS least_thread,
    max(thread) OVER (PARTITION BY run_id, example, region, key) AS greatest_thread
  FROM changes
  WHERE effect <> 'none'
),
fed_at_all AS (
  SELECT c.run_id, c.example, c.region, c.key, c.op, c.op_id, c.token, c.site, c.member, c.called_at, c.returned_at,
    f.queue, f.to_site
  FROM lined_up c
  JOIN feeds f ON f.run_id = c.run_id AND f.example = c.example AND f.region = c.region AND f.from_site = c.site
  JOIN kept_at_all k ON k.run_id = c.run_id AND k.example = c.example AND k.region = c.region
  ANTI JOIN meddled m ON m.run_id = c.run_id AND m.example = c.example AND m.region = c.region AND m.key = c.key
  ANTI JOIN gone g ON g.run_id = c.run_id AND g.example = c.example AND NOT k.acknowledged
  WHERE c.effect = 'sure' AND c.op IN ('put', 'create', 'destroy')
    AND c.least_site = c.greatest_site
    AND coalesce(c.busy_until, -1) < c.called_at
    AND coalesce(c.next_call, 9223372036854775807) > c.over_at
    AND (k.acknowledged OR c.least_thread = c.greatest_thread)
    AND NOT f.leaves_out AND (f.lanes = 1 OR f.ordered_by <> 'thread')
),
fed AS (
  SELECT f.run_id, f.example, f.region, f.key, f.op, f.op_id, f.token, f.site, f.member, f.called_at, f.returned_at, f.queue,
    f.to_site
  FROM fed_at_all f
  SEMI JOIN kept k ON k.run_id = f.run_id AND k.example = f.example AND k.region = f.region
)
