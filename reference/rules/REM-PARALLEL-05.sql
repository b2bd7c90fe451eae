-- requirement: REM-PARALLEL-05
-- view: black-box
-- empty-start: no
-- only-with: role
-- parts: inherited
-- columns: run_id, example, seq
-- opportunity: a put or create with which the listener of its key's primary stood at a gate when that member was
--   killed, the only one lost; a redundant copy is left, and all rests behind that
-- violation: no other member's listener receives it
SELECT run_id, example, rest_at AS seq, subject, witness, taken_up = 0 AS violated
FROM inherited
WHERE done = 0 AND standing > 0
