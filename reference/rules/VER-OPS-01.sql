-- requirement: VER-OPS-01
-- view: black-box
-- empty-start: no
-- parts: ties
-- columns: run_id, example, seq
-- opportunity: what a member holds at the quiet end of a key whose last changes carry one version and are of several kinds: put,
--   create, invalidate, destroy
-- violation: it holds something else than what the change of the highest member id leaves
SELECT run_id, example, seq, region || '/' || key AS subject,
  member || ' holds ' || what || '; the ' || winning_op || ' of ' || won_on || ' leaves ' || ought AS witness,
  what <> ought AS violated
FROM ties
WHERE kinds > 1
