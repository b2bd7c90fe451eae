-- requirement: INT-CLEAR-02
-- view: black-box
-- empty-start: yes
-- only-with: client_start
-- parts: registered
-- columns: seq
-- opportunity: a key covered by a registration for an expression that loads nothing, or that the client's
--   server lacks, and what the client holds of it at rest right behind it
-- violation: the client has the key
SELECT g.run_id, g.example, g.seq, g.region || '/' || g.key AS subject, g.witness, g.state <> 'absent' AS violated
FROM registered g
WHERE g.is_covered AND g.by_what = 'regex' AND (g.loads = 'none' OR g.there = 'absent')
