-- requirement: DUR-OFFL-02
-- view: black-box
-- empty-start: no
-- only-with: crash
-- parts: stranded
-- columns: seq, kind, client, region, key, op, op_id, status, token, policy
-- opportunity: a put, create, destroy or invalidate that a client calls when none of its servers runs
-- violation: it ends well, or its token is shown or held anywhere
SELECT s.run_id, s.example, b.seq, b.region || '/' || b.key AS subject,
  b.op || ' by ' || s.client || ' without servers ends ' || coalesce(min(e.status), 'not at all') || CASE
    WHEN count(t.seq) > 0 THEN ', and is shown' ELSE '' END AS witness,
  coalesce(min(e.status), '') = 'ok' OR count(t.seq) > 0 AS violated
FROM stranded s
JOIN ev b ON b.run_id = s.run_id AND b.example = s.example AND b.client = s.client AND b.kind = 'op_begin'
  AND b.seq > s.since AND b.seq < s.found_at AND b.op IN ('put', 'create', 'destroy', 'invalidate')
ANTI JOIN ev h ON h.run_id = s.run_id AND h.example = s.example AND h.client = s.client AND h.region = b.region
  AND h.kind = 'region_host' AND h.policy = 'local'
LEFT JOIN ev e ON e.run_id = s.run_id AND e.example = s.example AND e.op_id = b.op_id AND e.kind = 'op_end'
LEFT JOIN ev t ON t.run_id = s.run_id AND t.example = s.example AND t.op_id = b.op_id AND t.token IS NOT NULL
  AND t.kind IN ('listener', 'content', 'final_value')
GROUP BY s.run_id, s.example, b.seq, b.region, b.key, b.op, s.client
