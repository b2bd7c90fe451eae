-- requirement: WANC-NEW-01
-- view: internal
-- empty-start: no
-- only-with: wan_recv
-- parts: comparisons
-- columns: run_id, example, seq
-- opportunity: an event for a key of which neither entry nor tombstone is stored; arrived once, and no
--   resolver was asked
-- violation: it is discarded
SELECT run_id, example, seq, subject, witness, NOT applied AS violated
FROM comparisons
WHERE stored_vts IS NULL AND stored_dsid IS NULL AND vts IS NOT NULL AND dsid IS NOT NULL
