-- requirement: EX-A3C3-03
-- view: black-box
-- empty-start: no
-- parts: ties
-- columns: run_id, example, seq
-- opportunity: two puts or creates of one version, the one with the higher member id called on the member that alone changed the
--   key last before: what that member shows
-- violation: it shows the other one
SELECT run_id, example, seq, region || '/' || key AS subject, witness, lost_pos IS NOT NULL AS violated
FROM losers
WHERE many = 2 AND written_by_winner AND of_values AND member = won_on
