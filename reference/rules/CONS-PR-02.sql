-- requirement: CONS-PR-02
-- view: black-box
-- empty-start: no
-- only-with: role
-- parts: placed
-- columns: seq, region, key, member, role, name, op_id, op, status
-- opportunity: a put of a key of a partitioned region that is called while another update of the key stands in the listener
--   of a redundant copy; examples in which a member dies tell nothing
-- violation: the put has returned, or the listener of the key's primary was told of it, before the other was let go
WITH standing AS (
  SELECT g.run_id, g.example, g.region, g.key, g.op_id, g.member, min(g.seq) AS parked_at, min(r.seq) AS released_at
  FROM ev g
  JOIN placed c ON c.run_id = g.run_id AND c.example = g.example AND c.region = g.region AND c.key = g.key
    AND c.member = g.member AND c.role = 'secondary'
  JOIN ev r ON r.run_id = g.run_id AND r.example = g.example AND r.op_id = g.op_id AND r.member = g.member
    AND r.kind = 'gate_release' AND r.seq > g.seq
  WHERE g.kind = 'gate_park' AND g.name IS NULL
  GROUP BY g.run_id, g.example, g.region, g.key, g.op_id, g.member
),
later AS (
  SELECT s.run_id, s.example, s.region, s.key, s.member, b.seq, b.op_id, s.released_at
  FROM standing s
  JOIN ev b ON b.run_id = s.run_id AND b.example = s.example AND b.region = s.region AND b.key = s.key
    AND b.kind = 'op_begin' AND b.op = 'put' AND b.op_id <> s.op_id AND b.seq > s.parked_at AND b.seq < s.released_at
),
early AS (
  SELECT o.run_id, o.example, o.op_id, min(w.seq) AS seen_at
  FROM later o
  JOIN placed p ON p.run_id = o.run_id AND p.example = o.example AND p.region = o.region AND p.key = o.key AND p.role = 'primary'
  JOIN ev w ON w.run_id = o.run_id AND w.example = o.example AND w.op_id = o.op_id AND w.seq < o.released_at
    AND ((w.kind = 'op_end' AND w.status = 'ok') OR (w.kind = 'listener' AND w.member = p.member))
  GROUP BY o.run_id, o.example, o.op_id
)
SELECT o.run_id, o.example, o.seq, o.region || '/' || o.key AS subject,
  'the one before it stood in the listener of ' || o.member AS witness, e.seen_at IS NOT NULL AS violated
FROM later o
LEFT JOIN early e ON e.run_id = o.run_id AND e.example = o.example AND e.op_id = o.op_id
ANTI JOIN deaths d ON d.run_id = o.run_id AND d.example = o.example
