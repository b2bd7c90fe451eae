-- requirement: ARCH-SHARED-01
-- view: black-box
-- empty-start: no
-- only-with: queue_host
-- parts: owed_offers, heard_in_turn
-- columns: run_id, example, seq, kind, region, queue, queue_type
-- opportunity: an operation on a region that feeds a gateway sender and an asynchronous queue, which its listener
--   must have received at rest, no member lost; neighbours among what the listener of a serial queue received first,
--   of one key or thread, one of which had returned before the other was called
-- violation: it never came; they come the other way round than they were called
SELECT o.run_id, o.example, coalesce(o.offered_at, o.rest_at) AS seq, o.subject, o.witness, o.offered_at IS NULL AS violated
FROM owed_offers o
SEMI JOIN ev a ON a.run_id = o.run_id AND a.example = o.example AND a.region = o.region AND a.kind = 'attach'
  AND a.queue_type = 'wan'
UNION ALL
SELECT run_id, example, seq, subject, witness, turned AS violated
FROM heard_in_turn
WHERE NOT in_parallel
