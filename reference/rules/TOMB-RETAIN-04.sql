-- requirement: TOMB-RETAIN-04
-- view: black-box
-- empty-start: no
-- parts: lasts
-- columns: run_id, example, seq
-- opportunity: what a member holds at the quiet end of a key whose last change is a put or create. Its caller has
--   shown that right behind a destroy, and behind all other changes
-- violation: it holds something else
SELECT run_id, example, seq, subject, witness, what <> ought AS violated
FROM lasts
WHERE op <> 'destroy' AND behind_destroy
