-- requirement: DUR-REPLAY-05
-- view: black-box
-- empty-start: no
-- only-with: ready
-- parts: stored
-- columns: seq
-- opportunity: a put or create that servers keep for a durable client until it is ready: called before that
--   in the same life, or while the client was away though its queue was kept; no time was let
--   pass meanwhile, and all rests
-- violation: the client is told of it never, or more than once in that life
SELECT q.run_id, q.example, q.judged_at AS seq, q.region || '/' || q.key AS subject, q.witness, q.times <> 1 AS violated
FROM stored q
WHERE q.away_ms = 0
