-- part: How events that arrived once, and about which no resolver was asked, were compared with what was stored.
-- columns: run_id, example, seq, kind, site, member, region, key, eid, vts, dsid, stored_vts, stored_dsid
-- needs:
resolved AS (
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
comparisons AS (
  SELECT d.run_id, d.example, d.seq, d.region || '/' || d.key AS subject,
    coalesce(d.eid, 'an event') || CASE WHEN d.kind = 'wan_apply' THEN ' applied on ' ELSE ' discarded on ' END || d.member
      || ': time ' || CAST(d.vts AS STRING) || ' of site ' || CAST(d.dsid AS STRING)
      || coalesce(' against ' || CAST(d.stored_vts AS STRING) || ' of site ' || CAST(d.stored_dsid AS STRING), '') AS witness,
    d.kind = 'wan_apply' AS applied, d.vts, d.dsid, d.stored_vts, d.stored_dsid
  FROM ev d
  ANTI JOIN resolved r ON r.run_id = d.run_id AND r.example = d.example AND r.region = d.region AND r.key = d.key
  SEMI JOIN once t ON t.run_id = d.run_id AND t.example = d.example AND t.site = d.site AND t.eid = d.eid
  WHERE d.kind IN ('wan_apply', 'wan_discard')
)
