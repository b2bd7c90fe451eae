-- requirement: INT-POLICY-01
-- view: black-box
-- empty-start: yes
-- only-with: client_start
-- parts: registered
-- columns: seq
-- opportunity: a key covered by a registration that loads keys alone, of which the client's first server
--   is known to have it or not, and what the client holds of it at rest right behind it
-- violation: it is not the key without a value, or has the key though the server has not
SELECT g.run_id, g.example, g.seq, g.region || '/' || g.key AS subject, g.witness, g.state <> CASE g.there WHEN 'absent' THEN 'absent' ELSE 'invalid' END AS violated
FROM registered g
WHERE g.is_covered AND g.loads = 'keys' AND g.there IS NOT NULL
