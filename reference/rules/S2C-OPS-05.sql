-- requirement: S2C-OPS-05
-- view: black-box
-- empty-start: no
-- only-with: client_start
-- columns: run_id, example, seq, kind, member, client, region, key, op, op_id, token
-- opportunity: a local operation that is called on a member, with a token, while there are clients
-- violation: a listener of a client is told of it
WITH clients AS (
  SELECT DISTINCT run_id, example
  FROM ev
  WHERE kind = 'client_start'
),
told AS (
  SELECT run_id, example, op_id, min(seq) AS shown_at, min(client) AS holder
  FROM ev
  WHERE kind = 'listener' AND client IS NOT NULL
  GROUP BY run_id, example, op_id
)
SELECT b.run_id, b.example, coalesce(t.shown_at, b.seq) AS seq, b.region || '/' || coalesce(b.key, '') AS subject,
  b.op || ' ' || b.token || ' on ' || b.member
    || CASE WHEN t.holder IS NULL THEN ' shown to no client' ELSE ' shown to ' || t.holder END AS witness,
  t.holder IS NOT NULL AS violated
FROM ev b
SEMI JOIN clients c ON c.run_id = b.run_id AND c.example = b.example
LEFT JOIN told t ON t.run_id = b.run_id AND t.example = b.example AND t.op_id = b.op_id
WHERE b.kind = 'op_begin' AND b.member IS NOT NULL AND b.op IN ('local_destroy', 'local_invalidate', 'local_clear')
  AND b.token IS NOT NULL
