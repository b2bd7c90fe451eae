-- requirement: EX-A3C3-04
-- view: black-box
-- empty-start: no
-- parts: ties
-- columns: run_id, example, seq
-- opportunity: two puts or creates of one version, the one with the higher member id called on the member that alone changed the
--   key last before: a member that shows the other one first, or that one alone
-- violation: it never shows the one with the higher member id, or holds something else at the quiet end
SELECT run_id, example, seq, region || '/' || key AS subject, witness, won_pos IS NULL OR what <> ought AS violated
FROM losers
WHERE many = 2 AND written_by_winner AND of_values AND lost_pos IS NOT NULL AND coalesce(won_pos, lost_pos + 1) > lost_pos
