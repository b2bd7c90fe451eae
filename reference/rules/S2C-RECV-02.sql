-- requirement: S2C-RECV-02
-- view: black-box
-- empty-start: no
-- only-with: client_start
-- parts: arrived
-- columns: seq
-- opportunity: a put or create owed to a client none of whose registrations for the key receives values,
--   and what the client holds of the key at rest, untouched since
-- violation: the client is told its value, or holds one
SELECT a.run_id, a.example, a.seq, a.region || '/' || a.key AS subject, a.witness,
  (a.with_value > 0 AND NOT a.fetched) OR a.state = 'valid' AS violated
FROM arrived a
WHERE NOT a.some_bring AND a.op IN ('put', 'create') AND a.line_lost_at > a.seq
