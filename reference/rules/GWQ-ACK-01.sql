-- requirement: GWQ-ACK-01
-- view: black-box
-- empty-start: no
-- only-with: queue_host
-- parts: unanswered
-- columns: run_id, example, seq
-- opportunity: a look at a primary's copy of a serial queue while its link is cut or swallows replies, since
--   when operations returned that surely were queued, and then all settled
-- violation: it holds fewer events than those operations, none of which can have been answered
SELECT run_id, example, seq, subject, witness, lacks_some AS violated
FROM unanswered
WHERE role = 'primary'
