-- requirement: DUR-TIMEOUT-05
-- view: black-box
-- empty-start: no
-- only-with: ready
-- parts: stored
-- columns: seq
-- opportunity: a put or create that servers keep for a durable client whose absence and the one before it together
--   exceed its time-out, and neither does alone by far
-- violation: the client is not told of it when it is ready
SELECT q.run_id, q.example, q.judged_at AS seq, q.region || '/' || q.key AS subject, q.witness, q.withheld AS violated
FROM stored q
JOIN lives l ON l.run_id = q.run_id AND l.example = q.example AND l.client = q.client AND l.begun_at = q.begun_at
JOIN lives p ON p.run_id = q.run_id AND p.example = q.example AND p.client = q.client AND p.begun_at = l.before_at
WHERE NOT q.wanted_now AND q.away_ms > 0 AND p.away_ms > 0 AND q.away_ms + p.away_ms > q.waits_ms
  AND q.away_ms + q.away_ms + q.away_ms + q.away_ms < q.waits_ms + q.waits_ms + q.waits_ms
  AND p.away_ms + p.away_ms + p.away_ms + p.away_ms < q.waits_ms + q.waits_ms + q.waits_ms
