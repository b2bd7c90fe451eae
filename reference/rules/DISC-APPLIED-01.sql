-- requirement: DISC-APPLIED-01
-- view: black-box
-- empty-start: no
-- parts: ties
-- columns: run_id, example, seq
-- opportunity: two puts or creates of one version: a member that shows the one with the lower member id first, or that one alone,
--   and holds at the quiet end what the other one leaves
-- violation: it never shows the other one
SELECT run_id, example, seq, region || '/' || key AS subject, witness, won_pos IS NULL AS violated
FROM losers
WHERE many = 2 AND of_values AND lost_pos IS NOT NULL AND coalesce(won_pos, lost_pos + 1) > lost_pos AND what = ought
