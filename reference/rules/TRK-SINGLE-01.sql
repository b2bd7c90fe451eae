-- requirement: TRK-SINGLE-01
-- view: black-box
-- empty-start: no
-- only-with: client_start
-- parts: served, told
-- columns: token, status, name
-- opportunity: an operation that another caller called, and that returned, between the moment at which a
--   client stands still in its listener and its release; of keys that the client never gets
-- violation: the client is told of it before its release
WITH standing AS (
  SELECT p.run_id, p.example, p.client, p.op_id, p.seq AS stood_at, min(r.seq) AS released_at
  FROM ev p
  JOIN ev r ON r.run_id = p.run_id AND r.example = p.example AND r.client = p.client AND r.op_id = p.op_id
    AND r.kind = 'gate_release' AND r.seq > p.seq
  WHERE p.kind = 'gate_park' AND p.client IS NOT NULL AND p.name IS NULL
  GROUP BY p.run_id, p.example, p.client, p.op_id, p.seq
)
SELECT b.run_id, b.example, coalesce(t.first_at, p.released_at) AS seq, b.region || '/' || b.key AS subject,
  b.op || ' ' || b.token || ' on ' || coalesce(b.member, b.client)
    || CASE WHEN t.first_at < p.released_at THEN ' told' ELSE ' not told' END
    || ' to ' || p.client || ' while it stands still' AS witness,
  coalesce(t.first_at < p.released_at, false) AS violated
FROM ev b
JOIN ev e ON e.run_id = b.run_id AND e.example = b.example AND e.op_id = b.op_id AND e.kind = 'op_end' AND e.status = 'ok'
SEMI JOIN served s ON s.run_id = b.run_id AND s.example = b.example AND s.region = b.region
JOIN standing p ON p.run_id = b.run_id AND p.example = b.example AND p.stood_at < b.seq AND e.seq < p.released_at
  AND p.client <> coalesce(b.member, b.client)
ANTI JOIN fetched f ON f.run_id = b.run_id AND f.example = b.example AND f.client = p.client AND f.region = b.region
  AND f.key = b.key
LEFT JOIN told t ON t.run_id = b.run_id AND t.example = b.example AND t.client = p.client AND t.op_id = b.op_id
WHERE b.kind = 'op_begin' AND b.token IS NOT NULL
