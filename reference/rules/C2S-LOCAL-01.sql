-- requirement: C2S-LOCAL-01
-- view: black-box
-- empty-start: no
-- only-with: client_start
-- parts: served
-- columns: seq, client, op_id, token, origin_member
-- opportunity: a local operation that a client calls, with a token
-- violation: the listener of another holder is told of it
WITH elsewhere AS (
  SELECT run_id, example, op_id, min(seq) AS shown_at, min(coalesce(member, client)) AS holder
  FROM ev
  WHERE kind = 'listener' AND coalesce(member, client) <> origin_member
  GROUP BY run_id, example, op_id
)
SELECT b.run_id, b.example, coalesce(e.shown_at, b.seq) AS seq, b.region || '/' || b.key AS subject,
  b.op || ' ' || b.token || ' of ' || b.client
    || CASE WHEN e.holder IS NULL THEN ' shown to no other holder' ELSE ' shown to ' || e.holder END AS witness,
  e.holder IS NOT NULL AS violated
FROM ev b
SEMI JOIN served s ON s.run_id = b.run_id AND s.example = b.example AND s.region = b.region
LEFT JOIN elsewhere e ON e.run_id = b.run_id AND e.example = b.example AND e.op_id = b.op_id
WHERE b.kind = 'op_begin' AND b.client IS NOT NULL AND b.op IN ('local_destroy', 'local_invalidate') AND b.token IS NOT NULL
