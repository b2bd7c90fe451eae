-- requirement: WANC-TS-01
-- view: internal
-- empty-start: no
-- only-with: wan_recv
-- parts: comparisons
-- columns: run_id, example, seq
-- opportunity: an event of another site than wrote the entry last, later than what is recorded; arrived once,
--   and no resolver was asked
-- violation: it is discarded
SELECT run_id, example, seq, subject, witness, NOT applied AS violated
FROM comparisons
WHERE dsid <> stored_dsid AND vts > stored_vts
