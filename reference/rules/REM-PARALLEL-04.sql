-- requirement: REM-PARALLEL-04
-- view: black-box
-- empty-start: no
-- only-with: role
-- parts: inherited
-- columns: run_id, example, seq
-- opportunity: a put or create that the listener of its key's primary received, and did not deal with, when that
--   member was killed, the only one lost; a redundant copy is left, and all rests behind that
-- violation: no other member's listener receives it
SELECT run_id, example, rest_at AS seq, subject, witness, taken_up = 0 AS violated
FROM inherited
WHERE given > 0 AND done = 0
