-- requirement: EX-A3C3-05
-- view: black-box
-- empty-start: no
-- parts: ties
-- columns: run_id, example, seq
-- opportunity: two puts or creates of one version, the one with the higher member id called on the member that alone changed the
--   key last before: what a member holds at the quiet end
-- violation: it holds something else than that one leaves, or shows the other one behind it
SELECT run_id, example, seq, region || '/' || key AS subject, witness,
  what <> ought OR coalesce(lost_pos > won_pos, false) AS violated
FROM losers
WHERE many = 2 AND written_by_winner AND of_values
