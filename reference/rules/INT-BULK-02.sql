-- requirement: INT-BULK-02
-- view: black-box
-- empty-start: no
-- only-with: ri_key
-- parts: placed
-- columns: seq, region, key, member, role, client, server, op_id, op, status, interest_policy, state_after
-- opportunity: a key of a partitioned region that a put has left before a client registered for keys or
--   values of it, that no call destroys, and that does not lie on the client's first server; and what the
--   client is read to hold behind that and in front of its next registration or withdrawal; examples in which
--   a member dies tell nothing
-- violation: the client lacks the key
WITH there AS (
  SELECT b.run_id, b.example, b.region, b.key, min(e.seq) AS there_at
  FROM ev b
  JOIN ev e ON e.run_id = b.run_id AND e.example = b.example AND e.op_id = b.op_id AND e.kind = 'op_end' AND e.status = 'ok'
  WHERE b.kind = 'op_begin' AND b.op = 'put'
  GROUP BY b.run_id, b.example, b.region, b.key
),
taken AS (
  SELECT DISTINCT run_id, example, region, key
  FROM ev
  WHERE kind = 'op_begin' AND op IN ('destroy', 'local_destroy', 'clear', 'destroy_region')
),
changes_of_interest AS (
  SELECT run_id, example, client, region, seq
  FROM ev
  WHERE kind IN ('ri_begin', 'unregister_begin')
),
loaded AS (
  SELECT k.run_id, k.example, k.client, k.server, k.region, k.key, k.seq AS loaded_at, min(n.seq) AS until
  FROM ev k
  LEFT JOIN changes_of_interest n ON n.run_id = k.run_id AND n.example = k.example AND n.client = k.client
    AND n.region = k.region AND n.seq > k.seq
  WHERE k.kind = 'ri_key' AND k.interest_policy IN ('keys', 'keys_values')
  GROUP BY k.run_id, k.example, k.client, k.server, k.region, k.key, k.seq
),
elsewhere AS (
  SELECT DISTINCT p.run_id, p.example, p.region, p.key, k.client
  FROM placed p
  JOIN loaded k ON k.run_id = p.run_id AND k.example = p.example AND k.region = p.region AND k.key = p.key
  ANTI JOIN placed o ON o.run_id = k.run_id AND o.example = k.example AND o.region = k.region AND o.key = k.key
    AND o.member = k.server
)
SELECT f.run_id, f.example, f.seq, f.region || '/' || f.key AS subject,
  f.client || ' has it ' || f.state_after || ' behind its registration' AS witness, f.state_after = 'absent' AS violated
FROM ev f
JOIN loaded k ON k.run_id = f.run_id AND k.example = f.example AND k.client = f.client AND k.region = f.region
  AND k.key = f.key AND k.loaded_at < f.seq AND (k.until IS NULL OR k.until > f.seq)
JOIN there t ON t.run_id = k.run_id AND t.example = k.example AND t.region = k.region AND t.key = k.key
  AND t.there_at < k.loaded_at
JOIN elsewhere e ON e.run_id = k.run_id AND e.example = k.example AND e.region = k.region AND e.key = k.key
  AND e.client = k.client
ANTI JOIN taken g ON g.run_id = f.run_id AND g.example = f.example AND g.region = f.region
  AND (g.key = f.key OR g.key IS NULL)
ANTI JOIN deaths d ON d.run_id = f.run_id AND d.example = f.example
WHERE f.kind IN ('content', 'final_value') AND f.client IS NOT NULL
