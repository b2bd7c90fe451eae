-- requirement: S2C-OPS-06
-- view: black-box
-- empty-start: no
-- only-with: client_start
-- columns: run_id, example, seq, kind, client, region, op, op_id, event, status
-- opportunity: a member's invalidate of a whole region that ended well, and each client; where no client invalidates its region
-- violation: the client's listener shows that the region was invalidated
WITH swept_away AS (
  SELECT b.run_id, b.example, b.region, min(e.seq) AS over_at
  FROM ev b
  JOIN ev e ON e.run_id = b.run_id AND e.example = b.example AND e.op_id = b.op_id AND e.kind = 'op_end' AND e.status = 'ok'
  WHERE b.kind = 'op_begin' AND b.op = 'invalidate_region' AND b.client IS NULL
  GROUP BY b.run_id, b.example, b.region
),
own AS (
  SELECT DISTINCT run_id, example, region
  FROM ev
  WHERE kind = 'op_begin' AND client IS NOT NULL AND op IN ('invalidate_region', 'local_invalidate_region')
)
SELECT s.run_id, s.example, coalesce(min(t.seq), s.over_at) AS seq, s.region AS subject,
  k.client || CASE WHEN count(t.seq) > 0 THEN ' shows' ELSE ' does not show' END || ' that a member invalidated the region' AS witness,
  count(t.seq) > 0 AS violated
FROM swept_away s
JOIN ev k ON k.run_id = s.run_id AND k.example = s.example AND k.kind = 'observed' AND k.client IS NOT NULL
SEMI JOIN ev c ON c.run_id = k.run_id AND c.example = k.example AND c.client = k.client AND c.kind = 'client_start'
ANTI JOIN own o ON o.run_id = s.run_id AND o.example = s.example AND o.region = s.region
LEFT JOIN ev t ON t.run_id = s.run_id AND t.example = s.example AND t.client = k.client AND t.region = s.region
  AND t.kind = 'listener' AND t.event = 'region_invalidate'
GROUP BY s.run_id, s.example, s.region, s.over_at, k.client
