-- requirement: C2S-OPS-06
-- view: black-box
-- empty-start: no
-- only-with: client_start
-- columns: run_id, example, seq, kind, member, client, region, key, op, op_id, token, status
-- opportunity: an invalidation of one entry at a client that ended well and carries a token; local ones are
--   C2S-LOCAL-01's
-- violation: a listener on a member or at another client is told of it
WITH calls AS (
  SELECT b.run_id, b.example, b.client, b.region, b.key, b.token, b.op_id, e.seq AS over_at
  FROM ev b
  JOIN ev e ON e.run_id = b.run_id AND e.example = b.example AND e.op_id = b.op_id AND e.kind = 'op_end' AND e.status = 'ok'
  SEMI JOIN ev k ON k.run_id = b.run_id AND k.example = b.example AND k.kind = 'client_start' AND k.client = b.client
  WHERE b.kind = 'op_begin' AND b.op = 'invalidate' AND b.client IS NOT NULL AND b.token IS NOT NULL
),
told_elsewhere AS (
  SELECT c.run_id, c.example, c.op_id, max(l.seq) AS last_at, max(coalesce(l.client, l.member)) AS holder
  FROM calls c
  JOIN ev l ON l.run_id = c.run_id AND l.example = c.example AND l.op_id = c.op_id AND l.kind = 'listener'
    AND coalesce(l.client, l.member) <> c.client
  GROUP BY c.run_id, c.example, c.op_id
)
SELECT c.run_id, c.example, coalesce(t.last_at, c.over_at) AS seq, c.region || '/' || c.key AS subject,
  'invalidate ' || c.token || ' of ' || c.client || ' told to ' || coalesce(t.holder, 'no other holder') AS witness,
  t.holder IS NOT NULL AS violated
FROM calls c
LEFT JOIN told_elsewhere t ON t.run_id = c.run_id AND t.example = c.example AND t.op_id = c.op_id
