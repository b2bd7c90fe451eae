-- requirement: RIR-RULE-06
-- view: black-box
-- empty-start: no
-- only-with: ready
-- parts: stored
-- columns: seq
-- opportunity: a put or create called while a durable client was away, whose queue was kept, on a key that
--   was destroyed later in that time; no time was let pass meanwhile, and all rests once the
--   client has come back and is ready
-- violation: the client is not told of it by then
SELECT q.run_id, q.example, q.judged_at AS seq, q.region || '/' || q.key AS subject, q.witness, q.withheld AS violated
FROM stored q
SEMI JOIN changes d ON d.run_id = q.run_id AND d.example = q.example AND d.region = q.region AND d.key = q.key
  AND d.op = 'destroy' AND d.effect = 'sure' AND d.called_at > q.returned_at AND d.returned_at < q.begun_at
WHERE NOT q.wanted_now AND q.away_ms = 0
