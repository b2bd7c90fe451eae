-- requirement: INT-POLICY-04
-- view: black-box
-- empty-start: no
-- only-with: client_start
-- parts: registered
-- columns: seq
-- opportunity: a key covered by a registration that loads nothing, and what the client holds of it at rest
--   right behind it
-- violation: the client has the key
SELECT g.run_id, g.example, g.seq, g.region || '/' || g.key AS subject, g.witness, g.state <> 'absent' AS violated
FROM registered g
WHERE g.is_covered AND g.loads = 'none'
