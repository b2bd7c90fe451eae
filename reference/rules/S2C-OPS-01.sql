-- requirement: S2C-OPS-01
-- view: black-box
-- empty-start: no
-- only-with: client_start
-- parts: arrived
-- columns: seq
-- opportunity: an invalidate that a member called, owed to a client, and what the client holds of the key
--   at rest, untouched since
-- violation: the client still holds a value
SELECT a.run_id, a.example, a.seq, a.region || '/' || a.key AS subject, a.witness,
  a.state = 'valid' AS violated
FROM arrived a
WHERE a.op = 'invalidate' AND a.line_lost_at > a.seq
