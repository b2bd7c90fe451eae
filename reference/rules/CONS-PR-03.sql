-- requirement: CONS-PR-03
-- view: black-box
-- empty-start: no
-- only-with: role
-- parts: placed
-- columns: seq, region, key, member, role, op_id, log_pos, order_strength
-- opportunity: two updates of a key of a partitioned region of which the listeners of its primary and of a copy were each
--   told once, where logs have an order between threads; examples in which a member dies tell nothing
-- violation: the copy was told of them in the other order
WITH loose AS (
  SELECT DISTINCT run_id, example FROM ev WHERE kind = 'example_begin' AND order_strength = 'per_key_and_thread'
),
tellings AS (
  SELECT l.run_id, l.example, l.region, l.key, l.member, p.role, l.op_id, min(l.log_pos) AS place, max(l.seq) AS seq
  FROM ev l
  JOIN placed p ON p.run_id = l.run_id AND p.example = l.example AND p.region = l.region AND p.key = l.key
    AND p.member = l.member
  ANTI JOIN loose o ON o.run_id = l.run_id AND o.example = l.example
  ANTI JOIN deaths d ON d.run_id = l.run_id AND d.example = l.example
  WHERE l.kind = 'listener' AND l.op_id IS NOT NULL
  GROUP BY l.run_id, l.example, l.region, l.key, l.member, p.role, l.op_id
  HAVING count(l.seq) = 1
)
SELECT a.run_id, a.example, c.seq, a.region || '/' || a.key AS subject,
  c.member || ' was told of ' || c.op_id || ' and ' || e.op_id || ' otherwise than ' || a.member AS witness,
  c.place > e.place AS violated
FROM tellings a
JOIN tellings b ON b.run_id = a.run_id AND b.example = a.example AND b.region = a.region AND b.key = a.key
  AND b.member = a.member AND b.place > a.place
JOIN tellings c ON c.run_id = a.run_id AND c.example = a.example AND c.region = a.region AND c.key = a.key
  AND c.op_id = a.op_id AND c.role = 'secondary'
JOIN tellings e ON e.run_id = b.run_id AND e.example = b.example AND e.region = b.region AND e.key = b.key
  AND e.op_id = b.op_id AND e.member = c.member
WHERE a.role = 'primary'
