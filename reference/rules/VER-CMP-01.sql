-- requirement: VER-CMP-01
-- view: black-box
-- empty-start: no
-- parts: lasts
-- columns: run_id, example, seq
-- opportunity: what a member holds at the quiet end of a key. The caller of its last put or create has shown all
--   other changes before, so that one has the largest version
-- violation: the member never shows it, and holds something else
SELECT run_id, example, seq, subject, witness, NOT shown AND what <> ought AS violated
FROM lasts
WHERE op <> 'destroy' AND NOT own
