-- requirement: GWQ-RETRY-02
-- view: black-box
-- empty-start: yes
-- only-with: queue_host
-- parts: due
-- columns: run_id, example, seq, region, key, op, member, site, peer
-- opportunity: an operation called while the link to the other site was cut or swallowed replies, which had
--   to reach that site at rest, all being mended by then, and no member of its own site lost
-- violation: it was never shown there
WITH cut_off AS (
  SELECT DISTINCT d.run_id, d.example, d.op_id, d.to_site
  FROM due d
  JOIN broken b ON b.run_id = d.run_id AND b.example = d.example AND b.what = 'link' AND b.site = d.site
    AND b.peer = CAST(d.to_site AS STRING) AND b.broke_at < d.called_at AND d.called_at < b.mended_at
)
SELECT d.run_id, d.example, coalesce(d.shown_at, d.rest_at) AS seq, d.region || '/' || d.key AS subject,
  d.op || ' ' || coalesce(d.token, '') || ' on ' || d.member || ' during an outage'
    || CASE WHEN d.shown_at IS NULL THEN ' never' ELSE '' END || ' shown at site ' || CAST(d.to_site AS STRING) AS witness,
  d.shown_at IS NULL AS violated
FROM due d
SEMI JOIN cut_off c ON c.run_id = d.run_id AND c.example = d.example AND c.op_id = d.op_id AND c.to_site = d.to_site
ANTI JOIN gone g ON g.run_id = d.run_id AND g.example = d.example AND g.site = d.site AND d.returned_at < g.gone_at
