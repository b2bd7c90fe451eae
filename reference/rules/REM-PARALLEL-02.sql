-- requirement: REM-PARALLEL-02
-- view: black-box
-- empty-start: no
-- only-with: depth
-- parts: waiting
-- columns: run_id, example, seq
-- opportunity: a look, all having come to rest, at what a member holds of a parallel asynchronous queue, where events
--   of keys on it must wait: the queue is paused on their primary, or its listener stands; listeners have dealt with
--   other events of the queue before
-- violation: it holds fewer events than those
SELECT run_id, example, seq, subject, witness, amount < must_wait AS violated
FROM waiting
WHERE dealt_with > 0
