-- requirement: GWQ-ACK-03
-- view: black-box
-- empty-start: yes
-- only-with: queue_host
-- parts: due, troubled
-- columns: run_id, example, seq, region, key, op, member
-- opportunity: an operation that had to reach the other site at rest, in an example with faults, all mended
--   by then; those that a crash followed are SER-ENQ-02's, those called while the link was cut GWQ-RETRY-02's
-- violation: it was never shown there
WITH followed_by_crash AS (
  SELECT DISTINCT d.run_id, d.example, d.op_id
  FROM due d
  JOIN gone g ON g.run_id = d.run_id AND g.example = d.example AND g.site = d.site AND d.returned_at < g.gone_at
),
cut_off AS (
  SELECT DISTINCT d.run_id, d.example, d.op_id, d.to_site
  FROM due d
  JOIN broken b ON b.run_id = d.run_id AND b.example = d.example AND b.what = 'link' AND b.site = d.site
    AND b.peer = CAST(d.to_site AS STRING) AND b.broke_at < d.called_at AND d.called_at < b.mended_at
)
SELECT d.run_id, d.example, coalesce(d.shown_at, d.rest_at) AS seq, d.region || '/' || d.key AS subject,
  d.op || ' ' || coalesce(d.token, '') || ' on ' || d.member
    || CASE WHEN d.shown_at IS NULL THEN ' never' ELSE '' END || ' shown at site ' || CAST(d.to_site AS STRING) AS witness,
  d.shown_at IS NULL AS violated
FROM due d
SEMI JOIN troubled t ON t.run_id = d.run_id AND t.example = d.example
ANTI JOIN followed_by_crash f ON f.run_id = d.run_id AND f.example = d.example AND f.op_id = d.op_id
ANTI JOIN cut_off c ON c.run_id = d.run_id AND c.example = d.example AND c.op_id = d.op_id AND c.to_site = d.to_site
