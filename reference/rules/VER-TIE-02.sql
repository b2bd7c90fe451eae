-- requirement: VER-TIE-02
-- view: black-box
-- empty-start: no
-- parts: ties
-- columns: run_id, example, seq
-- opportunity: what a member holds at the quiet end of a key of two changes of one version. It showed the one with
--   the higher member id first, or that one alone
-- violation: it holds what the other one leaves
SELECT run_id, example, seq, region || '/' || key AS subject, witness, what = lost_leaves AND what <> ought AS violated
FROM losers
WHERE many = 2 AND won_pos IS NOT NULL AND coalesce(lost_pos, won_pos + 1) > won_pos
