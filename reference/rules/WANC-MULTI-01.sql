-- requirement: WANC-MULTI-01
-- view: black-box
-- empty-start: no
-- only-with: queue_host
-- parts: both_hold
-- columns: run_id, example, seq, site, region, key, member
-- opportunity: two sites of three or more, each of which feeds the other, and a key that operations were called on
--   at two sites or more, read at the quiet end on members of at least three, those of one site agreeing; else as
--   of WANC-CHK-01
-- violation: the two sites do not hold the same
WITH many AS (
  SELECT run_id, example, region, key
  FROM agreed
  GROUP BY run_id, example, region, key
  HAVING count(DISTINCT site) > 2
)
SELECT b.run_id, b.example, b.seq, b.region || '/' || b.key AS subject,
  b.what || ' on ' || b.member || ', ' || b.other_what || ' on ' || b.other_member AS witness,
  b.what <> b.other_what AS violated
FROM both_hold b
SEMI JOIN many n ON n.run_id = b.run_id AND n.example = b.example AND n.region = b.region AND n.key = b.key
