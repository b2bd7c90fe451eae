-- requirement: TOMB-RETAIN-05
-- view: black-box
-- empty-start: yes
-- parts: lasts
-- columns: run_id, example, seq
-- opportunity: a member that shows no other change of a key before the last destroy of it, of which the caller has shown all other
--   changes before: it did not hold the key when the destroy came
-- violation: it shows another change behind the destroy, or holds the key at the quiet end
SELECT run_id, example, seq, subject, witness, others_behind OR what <> ought AS violated
FROM lasts
WHERE op = 'destroy' AND NOT own AND NOT others_before AND (shown OR others = 0)
