-- part: What two sites hold, each of which feeds the other, of a key that operations were called on at two sites, read at
--   the quiet end on members of both, those of one site agreeing. Checks on, no member lost, nothing invalidated, every
--   call returned; not of several members of a site, whose updates may beat one another in a circle, nor more than once at
--   a site where events may have been sent again, which members of the other may then have dealt with apart; and each of
--   the two is fed by every other site that operations on the key were called at, as nothing need be sent on.
-- columns: run_id, example, seq, kind, site, member, client, region, key, op, scope
-- needs: agreed, feeds, lossy, meddled, gone, changes, parting
written_apart AS (
  SELECT run_id, example, region, key
  FROM changes
  WHERE effect <> 'none'
  GROUP BY run_id, example, region, key
  HAVING count(DISTINCT site) > 1
),
left_open AS (
  SELECT DISTINCT run_id, example, region, key
  FROM changes
  WHERE op = 'invalidate' OR (effect = 'unsure' AND over_at = 9223372036854775807)
),
unheard AS (
  SELECT DISTINCT a.run_id, a.example, a.region, a.key, a.site
  FROM agreed a
  JOIN changes c ON c.run_id = a.run_id AND c.example = a.example AND c.region = a.region AND c.key = a.key
    AND c.effect <> 'none' AND c.site <> a.site
  ANTI JOIN feeds f ON f.run_id = a.run_id AND f.example = a.example AND f.region = a.region
    AND f.from_site = c.site AND f.to_site = a.site
),
both_hold AS (
  SELECT one.run_id, one.example, one.seq, one.region, one.key, one.what, one.member, two.what AS other_what,
    two.member AS other_member
  FROM agreed one
  JOIN agreed two ON two.run_id = one.run_id AND two.example = one.example AND two.region = one.region
    AND two.key = one.key AND two.site > one.site
  SEMI JOIN written_apart w ON w.run_id = one.run_id AND w.example = one.example AND w.region = one.region AND w.key = one.key
  SEMI JOIN feeds fa ON fa.run_id = one.run_id AND fa.example = one.example AND fa.region = one.region
    AND fa.from_site = one.site AND fa.to_site = two.site
  SEMI JOIN feeds fb ON fb.run_id = one.run_id AND fb.example = one.example AND fb.region = one.region
    AND fb.from_site = two.site AND fb.to_site = one.site
  ANTI JOIN unheard ua ON ua.run_id = one.run_id AND ua.example = one.example AND ua.region = one.region
    AND ua.key = one.key AND ua.site = one.site
  ANTI JOIN unheard ub ON ub.run_id = one.run_id AND ub.example = one.example AND ub.region = one.region
    AND ub.key = one.key AND ub.site = two.site
  ANTI JOIN left_open o ON o.run_id = one.run_id AND o.example = one.example AND o.region = one.region AND o.key = one.key
  ANTI JOIN meddled m ON m.run_id = one.run_id AND m.example = one.example AND m.region = one.region AND m.key = one.key
  ANTI JOIN lossy l ON l.run_id = one.run_id AND l.example = one.example AND l.region = one.region
  ANTI JOIN parting c ON c.run_id = one.run_id AND c.example = one.example AND c.region = one.region AND c.key = one.key
  ANTI JOIN gone g ON g.run_id = one.run_id AND g.example = one.example
)
