-- requirement: S2C-OPS-02
-- view: black-box
-- empty-start: no
-- only-with: client_start
-- parts: arrived
-- columns: seq
-- opportunity: a destroy owed to a client, and what the client holds of the key at rest, untouched since
-- violation: the client still has the key
SELECT a.run_id, a.example, a.seq, a.region || '/' || a.key AS subject, a.witness,
  a.state <> 'absent' AS violated
FROM arrived a
WHERE a.op = 'destroy' AND a.line_lost_at > a.seq
