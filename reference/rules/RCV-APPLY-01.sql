-- requirement: RCV-APPLY-01
-- view: internal
-- empty-start: no
-- only-with: wan_apply
-- columns: run_id, example, seq, kind, member, conn, batch, batch_pos, eid, region, key, op, value
-- opportunity: an event applied by a receiver
-- violation: one that stands later in its batch was applied before it, or its region, key, operation or value
--   is not what was sent
WITH applied AS (
  SELECT run_id, example, seq, member, conn, batch, batch_pos, eid, region, key, op, value,
    max(batch_pos) OVER (
      PARTITION BY run_id, example, member, conn, batch ORDER BY seq NULLS LAST
      ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING
    ) AS furthest
  FROM ev
  WHERE kind = 'wan_apply'
),
sent AS (
  SELECT DISTINCT run_id, example, eid, region, key, op, value
  FROM ev
  WHERE kind = 'send'
),
altered AS (
  SELECT a.run_id, a.example, a.seq, a.eid
  FROM applied a
  JOIN sent s ON s.run_id = a.run_id AND s.example = a.example AND s.eid = a.eid
  WHERE s.region <> a.region OR s.key <> a.key OR s.op <> a.op OR s.value <> a.value
)
SELECT DISTINCT a.run_id, a.example, a.seq, a.region || '/' || a.key AS subject,
  a.eid || CASE WHEN a.furthest > a.batch_pos THEN ' after one behind it' ELSE '' END
    || CASE WHEN x.eid IS NOT NULL THEN ' altered' ELSE '' END AS witness,
  coalesce(a.furthest > a.batch_pos, false) OR x.eid IS NOT NULL AS violated
FROM applied a
LEFT JOIN altered x ON x.run_id = a.run_id AND x.example = a.example AND x.seq = a.seq
