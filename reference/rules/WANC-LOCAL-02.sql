-- requirement: WANC-LOCAL-02
-- view: black-box
-- empty-start: yes
-- only-with: queue_host
-- parts: agreed, feeds, lossy, meddled, gone, changes
-- columns: run_id, example, seq, kind, site, member, region, key, op
-- opportunity: a key that members of one site alone changed, at least two of them at the same time, read at
--   the quiet end there and on a site that it feeds, the members of each agreeing; checks on, no member lost,
--   nothing invalidated, every call returned
-- violation: the sites do not hold the same
WITH called AS (
  SELECT run_id, example, region, key, op, site, called_at, over_at, effect,
    max(over_at) OVER (
      PARTITION BY run_id, example, region, key ORDER BY called_at NULLS LAST
      ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING
    ) AS busy_until
  FROM changes
  WHERE effect <> 'none'
),
contested AS (
  SELECT run_id, example, region, key, min(site) AS site
  FROM called
  GROUP BY run_id, example, region, key
  HAVING min(site) = max(site) AND bool_or(coalesce(busy_until, -1) > called_at)
    AND max(over_at) < 9223372036854775807 AND NOT bool_or(op = 'invalidate')
)
SELECT one.run_id, one.example, two.seq, one.region || '/' || one.key AS subject,
  one.what || ' on ' || one.member || ', ' || two.what || ' on ' || two.member AS witness,
  one.what <> two.what AS violated
FROM agreed one
JOIN contested c ON c.run_id = one.run_id AND c.example = one.example AND c.region = one.region AND c.key = one.key
  AND c.site = one.site
JOIN feeds f ON f.run_id = one.run_id AND f.example = one.example AND f.region = one.region AND f.from_site = one.site
JOIN agreed two ON two.run_id = one.run_id AND two.example = one.example AND two.region = one.region
  AND two.key = one.key AND two.site = f.to_site
ANTI JOIN meddled m ON m.run_id = one.run_id AND m.example = one.example AND m.region = one.region AND m.key = one.key
ANTI JOIN lossy l ON l.run_id = one.run_id AND l.example = one.example AND l.region = one.region
ANTI JOIN gone g ON g.run_id = one.run_id AND g.example = one.example
