-- requirement: WAN-ORDER-02
-- view: black-box
-- empty-start: no
-- only-with: queue_host
-- parts: passed
-- columns: run_id, example, seq, kind, site, member, region, key, op_id, origin_site
-- opportunity: two neighbours among a key's first showings at another site that members of their own site
--   show too, where every way there keeps the order of keys and some has several dispatchers; checks on, no
--   crash
-- violation: they come the other way round than at their own site
WITH ways AS (
  SELECT run_id, example, region, from_site, to_site
  FROM feeds
  GROUP BY run_id, example, region, from_site, to_site
  HAVING count(DISTINCT queue) = 1 AND bool_and(ordered_by IN ('key', 'partition')) AND max(lanes) > 1
),
crashed AS (
  SELECT DISTINCT run_id, example
  FROM ev
  WHERE kind IN ('crash', 'member_stop')
)
SELECT p.run_id, p.example, p.shown_at AS seq, p.region || '/' || p.key AS subject,
  'operation ' || CAST(p.earlier AS STRING) || ' before ' || CAST(p.op_id AS STRING) || ' on ' || p.member
    || CASE WHEN p.turned THEN ', the other way round at site ' || CAST(p.origin_site AS STRING) ELSE '' END AS witness,
  p.turned AS violated
FROM passed p
SEMI JOIN ways w ON w.run_id = p.run_id AND w.example = p.example AND w.region = p.region
  AND w.from_site = p.origin_site AND w.to_site = p.site
ANTI JOIN crashed c ON c.run_id = p.run_id AND c.example = p.example
