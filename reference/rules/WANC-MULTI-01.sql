-- requirement: WANC-MULTI-01
-- view: black-box
-- empty-start: no
-- only-with: queue_host
-- parts: finals, feeds, kept, meddled, gone, rest, changes, circular
-- columns: run_id, example, seq, kind, site, member, client, region, key, op, scope
-- opportunity: two sites of three or more, each of which feeds the other, and a key that operations were called on
--   at two sites or more, read at the quiet end on members of at least three, those of one site agreeing; else as
--   of WANC-CHK-01
-- violation: the two sites do not hold the same
WITH written AS (
  SELECT run_id, example, region, key
  FROM changes
  WHERE effect <> 'none'
  GROUP BY run_id, example, region, key
  HAVING count(DISTINCT site) > 1
),
open_ended AS (
  SELECT DISTINCT run_id, example, region, key
  FROM changes
  WHERE op = 'invalidate' OR (effect = 'unsure' AND over_at = 9223372036854775807)
),
lossy AS (
  SELECT DISTINCT run_id, example, region
  FROM feeds
  WHERE leaves_out OR (lanes > 1 AND ordered_by = 'thread')
),
held AS (
  SELECT h.run_id, h.example, h.site, h.region, h.key, max(h.seq) AS seq, min(h.what) AS what, max(h.what) AS other,
    min(h.member) AS member
  FROM finals h
  JOIN rest r ON r.run_id = h.run_id AND r.example = h.example AND r.rest_at < h.seq
  JOIN kept k ON k.run_id = h.run_id AND k.example = h.example AND k.region = h.region AND k.checked
  GROUP BY h.run_id, h.example, h.site, h.region, h.key
  HAVING min(h.what) = max(h.what)
),
many AS (
  SELECT run_id, example, region, key
  FROM held
  GROUP BY run_id, example, region, key
  HAVING count(DISTINCT site) > 2
)
SELECT one.run_id, one.example, one.seq, one.region || '/' || one.key AS subject,
  one.what || ' on ' || one.member || ', ' || two.what || ' on ' || two.member AS witness,
  one.what <> two.what AS violated
FROM held one
JOIN held two ON two.run_id = one.run_id AND two.example = one.example AND two.region = one.region
  AND two.key = one.key AND two.site > one.site
SEMI JOIN many n ON n.run_id = one.run_id AND n.example = one.example AND n.region = one.region AND n.key = one.key
SEMI JOIN written w ON w.run_id = one.run_id AND w.example = one.example AND w.region = one.region AND w.key = one.key
SEMI JOIN feeds fa ON fa.run_id = one.run_id AND fa.example = one.example AND fa.region = one.region
  AND fa.from_site = one.site AND fa.to_site = two.site
SEMI JOIN feeds fb ON fb.run_id = one.run_id AND fb.example = one.example AND fb.region = one.region
  AND fb.from_site = two.site AND fb.to_site = one.site
ANTI JOIN open_ended o ON o.run_id = one.run_id AND o.example = one.example AND o.region = one.region AND o.key = one.key
ANTI JOIN meddled m ON m.run_id = one.run_id AND m.example = one.example AND m.region = one.region AND m.key = one.key
ANTI JOIN lossy l ON l.run_id = one.run_id AND l.example = one.example AND l.region = one.region
ANTI JOIN circular c ON c.run_id = one.run_id AND c.example = one.example AND c.region = one.region AND c.key = one.key
ANTI JOIN gone g ON g.run_id = one.run_id AND g.example = one.example
