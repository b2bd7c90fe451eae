-- requirement: DUR-REPLAY-03
-- view: black-box
-- empty-start: no
-- only-with: ready
-- parts: stored
-- columns: seq
-- opportunity: two puts or creates that servers keep for a durable client until it is ready, one called
--   after the other had returned, and each told once in that life; of one key, where the client's
--   log keeps no more order
-- violation: the client is told of the later one first
SELECT q.run_id, q.example, q.judged_at AS seq, q.region || '/' || q.key AS subject,
  q.witness || ', before an earlier ' || a.op || ' of ' || a.key AS witness, q.first_pos < a.first_pos AS violated
FROM stored q
JOIN stored a ON a.run_id = q.run_id AND a.example = q.example AND a.client = q.client AND a.begun_at = q.begun_at
  AND a.returned_at < q.called_at
WHERE q.times = 1 AND a.times = 1
  AND (q.log_order = 'total' OR (q.log_order = 'per_key' AND a.region = q.region AND a.key = q.key))
