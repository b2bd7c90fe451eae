-- requirement: AEQ-RETRY-03
-- view: black-box
-- empty-start: no
-- only-with: async_event
-- parts: offers, gone
-- columns: run_id, example, seq, kind, member, queue, status, role
-- opportunity: an event whose call the listener of an asynchronous queue answered by true, on a member that was not
--   lost, where no primary moves between living members
-- violation: a later call there brings it again, unless the queue is parallel and a member was lost; another member's
--   listener receives it, though no member was lost
SELECT o.run_id, o.example, o.seq, o.subject, o.witness,
  (o.last_batch > o.batch AND NOT (coalesce(o.in_parallel, FALSE) AND l.run_id IS NOT NULL))
    OR (o.least_member <> o.greatest_member AND l.run_id IS NULL) AS violated
FROM offers o
LEFT JOIN (SELECT DISTINCT run_id, example FROM gone) l ON l.run_id = o.run_id AND l.example = o.example
ANTI JOIN gone g ON g.run_id = o.run_id AND g.example = o.example AND g.member = o.member
ANTI JOIN ev x ON x.run_id = o.run_id AND x.example = o.example AND (x.kind = 'redeliver' OR x.role = 'moved')
WHERE o.status = 'true'
