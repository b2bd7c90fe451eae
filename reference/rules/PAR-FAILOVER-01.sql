-- requirement: PAR-FAILOVER-01
-- view: black-box
-- empty-start: no
-- only-with: queue_host
-- parts: inherited, heard_in_turn
-- columns: run_id, example, seq
-- opportunity: a put or create that no listener had received when its key's primary was killed, the only member lost,
--   behind the operation's return; a redundant copy is left, and all rests behind that; neighbours among what a
--   listener of a member that was not lost received first of a key, one of which had returned before the other was
--   called
-- violation: no listener receives it; they come the other way round than they were called
SELECT run_id, example, rest_at AS seq, subject, witness, taken_up = 0 AS violated
FROM inherited
WHERE given = 0 AND returned
UNION ALL
SELECT h.run_id, h.example, h.seq, h.subject, h.witness, h.turned AS violated
FROM heard_in_turn h
SEMI JOIN gone g ON g.run_id = h.run_id AND g.example = h.example
WHERE h.in_parallel
