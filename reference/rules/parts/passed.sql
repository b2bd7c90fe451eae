-- part: Neighbours among the first showings of a key's events from one other site on a member, and whether
--   members of that site show the two the other way round; checks on, logs that keep the order of a key.
-- columns: run_id, example, seq, kind, site, member, region, key, op_id, origin_site, log_pos, order_strength
-- needs: feeds, kept
in_order AS (
  SELECT DISTINCT run_id, example
  FROM ev
  WHERE kind = 'example_begin' AND order_strength IN ('total', 'per_key')
),
firsts AS (
  SELECT run_id, example, site, member, region, key, op_id, origin_site, min(log_pos) AS pos, min(seq) AS shown_at
  FROM ev
  WHERE kind = 'listener' AND op_id IS NOT NULL AND key IS NOT NULL AND log_pos IS NOT NULL
  GROUP BY run_id, example, site, member, region, key, op_id, origin_site
),
neighbours AS (
  SELECT f.run_id, f.example, f.site, f.member, f.region, f.key, f.origin_site, f.op_id, f.shown_at,
    lag(f.op_id) OVER (
      PARTITION BY f.run_id, f.example, f.member, f.region, f.key, f.origin_site ORDER BY f.pos NULLS LAST
    ) AS earlier
  FROM firsts f
  SEMI JOIN in_order o ON o.run_id = f.run_id AND o.example = f.example
  WHERE f.origin_site <> f.site
),
passed AS (
  SELECT n.run_id, n.example, n.site, n.member, n.region, n.key, n.origin_site, n.op_id, n.earlier, n.shown_at,
    count(CASE WHEN one.pos > two.pos THEN 1 END) > 0 AND count(CASE WHEN one.pos < two.pos THEN 1 END) = 0 AS turned
  FROM neighbours n
  JOIN kept k ON k.run_id = n.run_id AND k.example = n.example AND k.region = n.region AND k.checked
  JOIN firsts one ON one.run_id = n.run_id AND one.example = n.example AND one.op_id = n.earlier
    AND one.site = n.origin_site
  JOIN firsts two ON two.run_id = n.run_id AND two.example = n.example AND two.op_id = n.op_id
    AND two.member = one.member
  GROUP BY n.run_id, n.example, n.site, n.member, n.region, n.key, n.origin_site, n.op_id, n.earlier, n.shown_at
)
