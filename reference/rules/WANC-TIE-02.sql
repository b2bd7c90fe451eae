-- requirement: WANC-TIE-02
-- view: internal
-- empty-start: no
-- only-with: wan_recv
-- parts: comparisons
-- columns: run_id, example, seq
-- opportunity: an event of a site with a lower id than the one that wrote the entry last, at the time
--   recorded; arrived once, and no resolver was asked
-- violation: it is applied
SELECT run_id, example, seq, subject, witness, applied AS violated
FROM comparisons
WHERE dsid < stored_dsid AND vts = stored_vts
