-- requirement: GWQ-PERSIST-02
-- view: black-box
-- empty-start: no
-- only-with: queue_host
-- parts: come_back
-- columns: run_id, example, seq
-- opportunity: two puts or creates, one of which had returned before the other was called, of one thread or key, both
--   of which had returned when all members of their site died, of a serial sender on disk, where a member of the
--   other of two sites shows the later one; logs in total order, acknowledged regions
-- violation: that member has not shown the other one before
SELECT run_id, example, seq, subject, witness, turned AS violated
FROM come_back
WHERE NOT is_new
