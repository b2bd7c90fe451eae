-- requirement: INT-POLICY-02
-- view: black-box
-- empty-start: yes
-- only-with: client_start
-- parts: registered
-- columns: seq
-- opportunity: a key covered by a registration that loads keys and values (one that names no policy does),
--   and what the client and its first server hold of it at rest right behind it
-- violation: they do not hold the same
SELECT g.run_id, g.example, g.seq, g.region || '/' || g.key AS subject, g.witness, g.what <> g.there AS violated
FROM registered g
WHERE g.is_covered AND g.loads = 'keys_values' AND g.there IS NOT NULL
