-- requirement: DUR-TIMEOUT-02
-- view: black-box
-- empty-start: no
-- only-with: ready
-- parts: stored
-- columns: seq
-- opportunity: a put or create called while a durable client was away, on a key that its durable
--   registrations alone covered; less than three quarters of its time-out were let pass
--   meanwhile, and all rests once the client has come back and is ready
-- violation: the client is not told of it by then
SELECT q.run_id, q.example, q.judged_at AS seq, q.region || '/' || q.key AS subject, q.witness, q.withheld AS violated
FROM stored q
WHERE NOT q.wanted_now AND q.away_ms > 0 AND q.away_ms + q.away_ms + q.away_ms + q.away_ms < q.waits_ms + q.waits_ms + q.waits_ms
