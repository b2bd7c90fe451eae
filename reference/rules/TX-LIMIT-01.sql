-- requirement: TX-LIMIT-01
-- view: black-box
-- empty-start: no
-- only-with: tx_begin
-- parts: transacted
-- columns: run_id, example, seq, kind, member, region, policy, checks, op_id
-- opportunity: a local destroy or local invalidate in a transaction on a member that is normal, preloaded or
--   empty, with checks on, that has returned
-- violation: it was not refused, or a listener was told of it
WITH lesser AS (
  SELECT run_id, example, member, region
  FROM ev
  WHERE kind = 'region_host' AND policy IN ('normal', 'preloaded', 'empty') AND coalesce(checks, true)
),
shown AS (
  SELECT run_id, example, op_id, min(seq) AS seen_at
  FROM ev
  WHERE kind = 'listener' AND op_id IS NOT NULL
  GROUP BY run_id, example, op_id
)
SELECT c.run_id, c.example, coalesce(s.seen_at, c.seq) AS seq, c.region || '/' || c.key AS subject,
  c.op || ' on ' || c.member || ' ended ' || c.status || CASE WHEN s.seen_at IS NULL THEN '' ELSE ', told of' END AS witness,
  c.status <> 'refused' OR s.seen_at IS NOT NULL AS violated
FROM tx_changes c
SEMI JOIN lesser l ON l.run_id = c.run_id AND l.example = c.example AND l.member = c.member AND l.region = c.region
LEFT JOIN shown s ON s.run_id = c.run_id AND s.example = c.example AND s.op_id = c.op_id
WHERE c.op IN ('local_destroy', 'local_invalidate') AND c.status IS NOT NULL AND c.status <> 'indefinite'
