-- requirement: DUR-REPLAY-04
-- view: black-box
-- empty-start: no
-- only-with: ready
-- parts: unloaded
-- columns: seq
-- opportunity: what a durable client that has come back holds at rest of a key that was not loaded, where
--   all changes were kept until it was ready
-- violation: the client has the key
SELECT u.run_id, u.example, u.seq, u.region || '/' || u.key AS subject, u.witness, u.state <> 'absent' AS violated
FROM unloaded u
WHERE u.left_how IS NOT NULL
