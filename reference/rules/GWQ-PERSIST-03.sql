-- requirement: GWQ-PERSIST-03
-- view: black-box
-- empty-start: no
-- only-with: queue_host
-- parts: come_back
-- columns: run_id, example, seq
-- opportunity: two puts or creates, one of which had returned before the other was called, the later one called when
--   all members of its site, which had died, ran again, of a serial sender on disk, where a member of the other of
--   two sites shows the later one; logs in total order, acknowledged regions
-- violation: that member has not shown the other one before
SELECT run_id, example, seq, subject, witness, turned AS violated
FROM come_back
WHERE is_new
