-- requirement: TRK-ORDER-02
-- view: black-box
-- empty-start: no
-- only-with: client_start
-- parts: arrived
-- columns: seq
-- opportunity: what a client holds at rest of a key whose last call was owed to it with its value,
--   untouched since, with its first server alive
-- violation: it is not what that call left
SELECT a.run_id, a.example, a.seq, a.region || '/' || a.key AS subject, a.witness,
  a.what <> a.ought AS violated
FROM arrived a
WHERE a.all_bring AND a.op IN ('put', 'create', 'destroy') AND a.first_lost_at > a.seq
