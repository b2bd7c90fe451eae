-- requirement: WANC-LOCAL-02
-- view: black-box
-- empty-start: yes
-- only-with: queue_host
-- parts: finals, feeds, kept, meddled, gone, rest, changes
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
),
lossy AS (
  SELECT DISTINCT run_id, example, region
  FROM feeds
  WHERE leaves_out OR (lanes > 1 AND ordered_by = 'thread')
),
held AS (
  SELECT h.run_id, h.example, h.site, h.region, h.key, max(h.seq) AS seq, min(h.what) AS what,
    min(h.member) AS member
  FROM finals h
  JOIN rest r ON r.run_id = h.run_id AND r.example = h.example AND r.rest_at < h.seq
  JOIN kept k ON k.run_id = h.run_id AND k.example = h.example AND k.region = h.region AND k.checked
  GROUP BY h.run_id, h.example, h.site, h.region, h.key
  HAVING min(h.what) = max(h.what)
)
SELECT one.run_id, one.example, two.seq, one.region || '/' || one.key AS subject,
  one.what || ' on ' || one.member || ', ' || two.what || ' on ' || two.member AS witness,
  one.what <> two.what AS violated
FROM held one
JOIN contested c ON c.run_id = one.run_id AND c.example = one.example AND c.region = one.region AND c.key = one.key
  AND c.site = one.site
JOIN feeds f ON f.run_id = one.run_id AND f.example = one.example AND f.region = one.region AND f.from_site = one.site
JOIN held two ON two.run_id = one.run_id AND two.example = one.example AND two.region = one.region
  AND two.key = one.key AND two.site = f.to_site
ANTI JOIN meddled m ON m.run_id = one.run_id AND m.example = one.example AND m.region = one.region AND m.key = one.key
ANTI JOIN lossy l ON l.run_id = one.run_id AND l.example = one.example AND l.region = one.region
ANTI JOIN gone g ON g.run_id = one.run_id AND g.example = one.example
