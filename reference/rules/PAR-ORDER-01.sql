-- requirement: PAR-ORDER-01
-- view: black-box
-- empty-start: no
-- only-with: queue_host
-- parts: heard_in_turn, gone
-- columns: run_id, example, seq
-- opportunity: neighbours among what a listener of a parallel queue received first of a key, one of which had
--   returned before the other was called; no member lost
-- violation: they come the other way round than they were called
SELECT h.run_id, h.example, h.seq, h.subject, h.witness, h.turned AS violated
FROM heard_in_turn h
ANTI JOIN gone g ON g.run_id = h.run_id AND g.example = h.example
WHERE h.in_parallel
