-- requirement: AEQ-RETRY-01
-- view: black-box
-- empty-start: no
-- only-with: async_event
-- parts: offers, rest, gone
-- columns: run_id, example, seq, kind, member, queue, status, op
-- opportunity: an event whose call the listener of an asynchronous queue answered by false or an exception, on a
--   member that was not lost, all at rest behind that
-- violation: no later call brings it again
SELECT o.run_id, o.example, o.seq, o.subject, o.witness,
  o.last_batch = o.batch AND o.least_member = o.greatest_member AS violated
FROM offers o
JOIN rest r ON r.run_id = o.run_id AND r.example = o.example AND o.seq < r.rest_at
ANTI JOIN gone g ON g.run_id = o.run_id AND g.example = o.example AND g.member = o.member
ANTI JOIN ev x ON x.run_id = o.run_id AND x.example = o.example
  AND (x.kind = 'region_close' OR x.op IN ('clear', 'destroy_region', 'local_clear', 'local_destroy_region'))
WHERE o.status IN ('false', 'throw')
