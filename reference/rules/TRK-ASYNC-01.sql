-- requirement: TRK-ASYNC-01
-- view: black-box
-- empty-start: no
-- only-with: client_start
-- parts: served
-- columns: seq, client, op_id, token, name
-- opportunity: a call of another caller between the moment at which a client stands still in its listener and
--   its release, with no other listener standing still; it returned or was given all its time
-- violation: it did not return
WITH standing AS (
  SELECT p.run_id, p.example, p.client, p.seq AS stood_at, coalesce(min(r.seq), 9223372036854775807) AS released_at
  FROM ev p
  LEFT JOIN ev r ON r.run_id = p.run_id AND r.example = p.example AND r.client = p.client AND r.op_id = p.op_id
    AND r.kind = 'gate_release' AND r.seq > p.seq
  WHERE p.kind = 'gate_park' AND p.client IS NOT NULL AND p.name IS NULL
  GROUP BY p.run_id, p.example, p.client, p.seq
),
held_up AS (
  SELECT DISTINCT run_id, example
  FROM ev
  WHERE kind IN ('gate_arm', 'crash') AND (member IS NOT NULL OR name IS NOT NULL)
),
over AS (
  SELECT run_id, example, op_id, min(CASE WHEN kind = 'op_end' THEN seq END) AS returned_at,
    min(CASE WHEN kind = 'waited' THEN seq END) AS waited_at
  FROM ev
  WHERE kind IN ('op_end', 'waited') AND op_id IS NOT NULL
  GROUP BY run_id, example, op_id
)
SELECT b.run_id, b.example, coalesce(o.waited_at, o.returned_at) AS seq, b.region || '/' || b.key AS subject,
  b.op || ' ' || coalesce(b.token, '') || ' on ' || coalesce(b.member, b.client)
    || CASE WHEN o.returned_at < p.released_at THEN ' returns' ELSE ' does not return' END
    || ' while ' || p.client || ' stands still' AS witness,
  coalesce(o.returned_at, p.released_at) >= p.released_at AS violated
FROM ev b
SEMI JOIN served s ON s.run_id = b.run_id AND s.example = b.example AND s.region = b.region
JOIN standing p ON p.run_id = b.run_id AND p.example = b.example AND p.stood_at < b.seq AND b.seq < p.released_at
  AND p.client <> coalesce(b.member, b.client)
JOIN over o ON o.run_id = b.run_id AND o.example = b.example AND o.op_id = b.op_id
  AND (o.returned_at < p.released_at OR o.waited_at < p.released_at)
ANTI JOIN held_up h ON h.run_id = b.run_id AND h.example = b.example
WHERE b.kind = 'op_begin'
