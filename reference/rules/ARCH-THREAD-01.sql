-- requirement: ARCH-THREAD-01
-- view: black-box
-- empty-start: no
-- only-with: queue_host
-- parts: owed_offers
-- columns: run_id, example, seq
-- opportunity: an operation that the listener of an asynchronous queue must have received at rest, called behind a
--   call of the listener that failed or threw; no member lost
-- violation: it never came
SELECT o.run_id, o.example, coalesce(o.offered_at, o.rest_at) AS seq, o.subject, o.witness || ' behind a failure' AS witness,
  o.offered_at IS NULL AS violated
FROM owed_offers o
SEMI JOIN listener_calls f ON f.run_id = o.run_id AND f.example = o.example AND f.queue = o.queue AND f.status <> 'true'
  AND f.seen_at < o.called_at
