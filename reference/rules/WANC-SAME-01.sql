-- requirement: WANC-SAME-01
-- view: internal
-- empty-start: no
-- only-with: wan_recv
-- columns: run_id, example, seq, kind, site, member, region, key, eid, vts, dsid, stored_vts, stored_dsid
-- opportunity: an event of the site that wrote the entry last, not earlier than what is recorded; arrived
--   once, and no resolver was asked
-- violation: it is discarded
WITH resolved AS (
  SELECT DISTINCT run_id, example, region, key
  FROM ev
  WHERE kind = 'resolver_call'
),
once AS (
  SELECT run_id, example, site, eid
  FROM ev
  WHERE kind = 'wan_recv'
  GROUP BY run_id, example, site, eid
  HAVING count(seq) = 1
),
decided AS (
  SELECT d.run_id, d.example, d.seq, d.kind, d.member, d.region, d.key, d.eid, d.vts, d.dsid, d.stored_vts, d.stored_dsid
  FROM ev d
  ANTI JOIN resolved r ON r.run_id = d.run_id AND r.example = d.example AND r.region = d.region AND r.key = d.key
  SEMI JOIN once t ON t.run_id = d.run_id AND t.example = d.example AND t.site = d.site AND t.eid = d.eid
  WHERE d.kind IN ('wan_apply', 'wan_discard')
)
SELECT run_id, example, seq, region || '/' || key AS subject,
  coalesce(eid, 'an event') || CASE WHEN kind = 'wan_apply' THEN ' applied on ' ELSE ' discarded on ' END || member
    || ': time ' || CAST(vts AS STRING) || ' of site ' || CAST(dsid AS STRING)
    || coalesce(' against ' || CAST(stored_vts AS STRING) || ' of site ' || CAST(stored_dsid AS STRING), '') AS witness,
  kind = 'wan_discard' AS violated
FROM decided
WHERE dsid = stored_dsid AND vts >= stored_vts
