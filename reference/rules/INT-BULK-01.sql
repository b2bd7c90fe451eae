-- requirement: INT-BULK-01
-- view: black-box
-- empty-start: yes
-- only-with: client_start
-- parts: registered
-- columns: seq
-- opportunity: a key that a client's first server has, covered by a registration that loads keys or
--   values, and what the client holds of it at rest right behind it
-- violation: the client lacks the key
SELECT g.run_id, g.example, g.seq, g.region || '/' || g.key AS subject, g.witness, g.state = 'absent' AS violated
FROM registered g
WHERE g.is_covered AND g.loads IN ('keys', 'keys_values') AND g.there <> 'absent'
