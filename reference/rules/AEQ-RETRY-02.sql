-- requirement: AEQ-RETRY-02
-- view: black-box
-- empty-start: no
-- only-with: async_event
-- parts: offers, gone
-- columns: run_id, example, seq, kind, member, region, key, token, queue, batch, batch_pos, op
-- opportunity: a call of the listener of an asynchronous queue that failed, with the next call on its member, which
--   was not lost
-- violation: the next call does not begin with the same events in the same order; of a parallel queue, it lacks one
--   of them
WITH failed AS (
  SELECT c.run_id, c.example, c.member, c.queue, c.batch, c.next_batch, c.seen_at, c.in_parallel, c.status
  FROM listener_calls c
  ANTI JOIN gone g ON g.run_id = c.run_id AND g.example = c.example AND g.member = c.member
  ANTI JOIN ev x ON x.run_id = c.run_id AND x.example = c.example
    AND (x.kind = 'region_close' OR x.op IN ('clear', 'destroy_region', 'local_clear', 'local_destroy_region'))
  WHERE c.status <> 'true' AND c.next_batch IS NOT NULL
)
SELECT f.run_id, f.example, f.seen_at AS seq, f.queue || ' on ' || f.member AS subject,
  CAST(count(DISTINCT CASE WHEN n.seq IS NOT NULL THEN a.batch_pos END) AS STRING) || ' of '
    || CAST(count(DISTINCT a.batch_pos) AS STRING) || ' events come again in their places, answered ' || f.status AS witness,
  count(DISTINCT CASE WHEN n.seq IS NOT NULL THEN a.batch_pos END) < count(DISTINCT a.batch_pos) AS violated
FROM failed f
JOIN ev a ON a.run_id = f.run_id AND a.example = f.example AND a.member = f.member AND a.queue = f.queue
  AND a.batch = f.batch AND a.kind = 'async_event'
LEFT JOIN ev n ON n.run_id = f.run_id AND n.example = f.example AND n.member = f.member AND n.queue = f.queue
  AND n.batch = f.next_batch AND n.kind = 'async_event' AND n.region = a.region AND n.key = a.key
  AND coalesce(n.token, '') = coalesce(a.token, '') AND (f.in_parallel OR n.batch_pos = a.batch_pos)
GROUP BY f.run_id, f.example, f.seen_at, f.queue, f.member, f.batch, f.status
