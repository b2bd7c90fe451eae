-- requirement: CONS-CL-03
-- view: black-box
-- empty-start: no
-- only-with: client_start
-- parts: served, clientele
-- columns: run_id, example, seq, kind, client, region, key, op, op_id, token, status, seen_after
-- opportunity: a put of a member that returned before a client with checking called a destroy of the key, which
--   returned as well; the client is observed and does nothing but that on the key, and no time was let pass
-- violation: the client's listener is told of the put once the destroy has returned
WITH calls AS (
  SELECT b.run_id, b.example, b.client, b.region, b.key, b.op, b.op_id, b.token, b.seq AS called_at, e.seq AS returned_at
  FROM ev b
  JOIN ev e ON e.run_id = b.run_id AND e.example = b.example AND e.op_id = b.op_id AND e.kind = 'op_end' AND e.status = 'ok'
  WHERE b.kind = 'op_begin' AND b.op IN ('put', 'create', 'destroy')
),
busy AS (
  SELECT DISTINCT run_id, example, client, region, key
  FROM ev
  WHERE kind = 'op_begin' AND client IS NOT NULL AND op <> 'destroy'
),
aged AS (
  SELECT DISTINCT run_id, example
  FROM ev
  WHERE kind IN ('advance', 'link', 'inject')
),
told AS (
  SELECT run_id, example, client, op_id, max(seen_after) AS shown_after
  FROM ev
  WHERE kind = 'listener' AND client IS NOT NULL AND op_id IS NOT NULL
  GROUP BY run_id, example, client, op_id
)
SELECT d.run_id, d.example, max(d.returned_at) AS seq, d.region || '/' || d.key AS subject,
  d.client || ' has destroyed it, then was told of ' || o.token AS witness,
  bool_or(coalesce(t.shown_after, -1) >= d.returned_at) AS violated
FROM calls d
JOIN calls o ON o.run_id = d.run_id AND o.example = d.example AND o.region = d.region AND o.key = d.key AND o.op <> 'destroy'
  AND o.client IS NULL AND o.returned_at < d.called_at
JOIN served s ON s.run_id = d.run_id AND s.example = d.example AND s.region = d.region AND s.checked AND s.acknowledged
JOIN clientele k ON k.run_id = d.run_id AND k.example = d.example AND k.client = d.client AND k.checked
SEMI JOIN ev v ON v.run_id = d.run_id AND v.example = d.example AND v.client = d.client AND v.kind = 'observed'
LEFT JOIN told t ON t.run_id = d.run_id AND t.example = d.example AND t.client = d.client AND t.op_id = o.op_id
ANTI JOIN busy b ON b.run_id = d.run_id AND b.example = d.example AND b.client = d.client AND b.region = d.region AND b.key = d.key
ANTI JOIN aged a ON a.run_id = d.run_id AND a.example = d.example
WHERE d.op = 'destroy' AND d.client IS NOT NULL
GROUP BY d.run_id, d.example, d.client, d.region, d.key, d.op_id, o.op_id, o.token
