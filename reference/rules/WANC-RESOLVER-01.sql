-- requirement: WANC-RESOLVER-01
-- view: black-box
-- empty-start: yes
-- only-with: inject
-- parts: feeds, changes, gone, rest
-- columns: run_id, example, seq, kind, site, member, region, key, op, op_id, token, name, peer, status, policy, scope, checks
-- opportunity: the only put of a key at one site, and another site that it feeds and whose members have a conflict
--   resolver, at which all else that was called on the key was put and had returned before it could come; replicates
--   with checks and acknowledgements, no member lost, all at rest behind it
-- violation: no resolver of that other site is asked about it
WITH resolved AS (
  SELECT run_id, example, site
  FROM ev
  WHERE kind = 'inject' AND name = 'resolver'
  GROUP BY run_id, example, site
),
whole AS (
  SELECT run_id, example, region
  FROM ev
  WHERE kind = 'region_host'
  GROUP BY run_id, example, region
  HAVING min(coalesce(policy, '')) = 'replicate' AND max(coalesce(policy, '')) = 'replicate'
    AND bool_and(coalesce(checks, true)) AND bool_and(coalesce(scope, '') = 'distributed_ack')
),
otherwise AS (
  SELECT DISTINCT run_id, example, region, coalesce(key, '') AS key
  FROM ev
  WHERE kind = 'op_begin' AND op NOT IN ('put', 'create', 'get', 'contains_key')
),
written AS (
  SELECT run_id, example, region, key, site, count(*) AS times, min(token) AS token, min(called_at) AS called_at,
    max(over_at) AS over_at
  FROM changes
  WHERE op IN ('put', 'create') AND effect <> 'none'
  GROUP BY run_id, example, region, key, site
),
meeting AS (
  SELECT run_id, example, region, key
  FROM written
  GROUP BY run_id, example, region, key
  HAVING count(*) = 2
),
cut AS (
  SELECT run_id, example, site, try_cast(peer AS BIGINT) AS to_site, broke_at AS cut_at, mended_at
  FROM broken
  WHERE what = 'link' AND status = 'down'
),
asked AS (
  SELECT run_id, example, site, token, min(seq) AS asked_at
  FROM ev
  WHERE kind = 'resolver_call'
  GROUP BY run_id, example, site, token
)
SELECT b.run_id, b.example, b.over_at AS seq, b.region || '/' || b.key AS subject,
  b.token || ' of site ' || CAST(b.site AS STRING) || ' met what site ' || CAST(a.site AS STRING) || ' had written'
    || CASE WHEN q.asked_at IS NULL THEN ', and no resolver was asked' ELSE '' END AS witness,
  q.asked_at IS NULL AS violated
FROM written b
JOIN written a ON a.run_id = b.run_id AND a.example = b.example AND a.region = b.region AND a.key = b.key
  AND a.site <> b.site
JOIN rest r ON r.run_id = b.run_id AND r.example = b.example AND b.over_at < r.rest_at
SEMI JOIN meeting m ON m.run_id = b.run_id AND m.example = b.example AND m.region = b.region AND m.key = b.key
SEMI JOIN feeds f ON f.run_id = b.run_id AND f.example = b.example AND f.region = b.region AND f.from_site = b.site
  AND f.to_site = a.site
SEMI JOIN resolved v ON v.run_id = b.run_id AND v.example = b.example AND v.site = a.site
SEMI JOIN whole w ON w.run_id = b.run_id AND w.example = b.example AND w.region = b.region
ANTI JOIN otherwise o ON o.run_id = b.run_id AND o.example = b.example AND o.region = b.region
  AND (o.key = b.key OR o.key = '')
ANTI JOIN gone g ON g.run_id = b.run_id AND g.example = b.example
LEFT JOIN cut u ON u.run_id = b.run_id AND u.example = b.example AND u.site = b.site AND u.to_site = a.site
  AND u.cut_at < b.called_at AND a.over_at < u.mended_at
LEFT JOIN asked q ON q.run_id = b.run_id AND q.example = b.example AND q.site = a.site AND q.token = b.token
WHERE b.times = 1 AND (a.over_at < b.called_at OR u.run_id IS NOT NULL)
