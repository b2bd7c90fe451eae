-- requirement: CONS-RR-03
-- view: black-box
-- empty-start: no
-- parts: ties
-- columns: run_id, example, seq
-- opportunity: two puts or creates of one version: a member that shows the one with the higher member id first, or that one alone,
--   and holds at the quiet end what it leaves
-- violation: it shows the other one behind it
SELECT run_id, example, seq, region || '/' || key AS subject, witness, lost_pos IS NOT NULL AS violated
FROM losers
WHERE many = 2 AND of_values AND won_pos IS NOT NULL AND coalesce(lost_pos, won_pos + 1) > won_pos AND what = ought
