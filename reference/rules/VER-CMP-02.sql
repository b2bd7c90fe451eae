-- requirement: VER-CMP-02
-- view: black-box
-- empty-start: no
-- parts: lasts
-- columns: run_id, example, seq
-- opportunity: a member that shows the last put or create of a key, and what it holds at the quiet end. The caller
--   has shown all other changes before
-- violation: it shows another one behind it, or holds something else
SELECT run_id, example, seq, subject, witness, others_behind OR what <> ought AS violated
FROM lasts
WHERE op <> 'destroy' AND shown
