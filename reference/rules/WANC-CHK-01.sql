-- requirement: WANC-CHK-01
-- view: black-box
-- empty-start: no
-- only-with: queue_host
-- parts: both_hold
-- columns: run_id, example, seq, region, key, member
-- opportunity: a key that operations were called on at two sites, each of which feeds the other, read at the
--   quiet end on members of both, those of one site agreeing; checks on, no member lost, nothing invalidated,
--   every call returned; not of several members of a site, whose updates may beat one another in a circle, nor more
--   than once at a site where events may have been sent again, which members of the other may then have dealt with
--   apart; and each of the two is fed by every other site that operations on the key were called at
-- violation: the sites do not hold the same
SELECT run_id, example, seq, region || '/' || key AS subject,
  what || ' on ' || member || ', ' || other_what || ' on ' || other_member AS witness,
  what <> other_what AS violated
FROM both_hold
