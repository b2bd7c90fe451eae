-- requirement: CFG-CHECKS-06
-- view: black-box
-- empty-start: no
-- only-with: client_start
-- parts: gone, clientele
-- columns: run_id, example, seq, kind, client, region, key, op, op_id, token, status, amount, interest_kind, receive_values
-- opportunity: an operation, called by neither, of which a client that checks was told, and another one that
--   does not check and has the same server; both are observed and have been registered for all keys since
--   before anything was called, and no server died. What a client has got or changed itself is left out, and
--   so is what was called after the last time everything had come to rest
-- violation: the one that does not check was told nothing of it
WITH begun AS (
  SELECT run_id, example, min(seq) AS seq
  FROM ev
  WHERE kind = 'op_begin'
  GROUP BY run_id, example
),
rested AS (
  SELECT run_id, example, max(seq) AS seq
  FROM ev
  WHERE kind = 'settle' AND amount = 0
  GROUP BY run_id, example
),
withdrawn AS (
  SELECT DISTINCT run_id, example, client
  FROM ev
  WHERE kind IN ('unregister_begin', 'client_close_begin', 'link', 'region_close')
),
lost AS (
  SELECT DISTINCT run_id, example
  FROM gone
),
followed AS (
  SELECT r.run_id, r.example, r.client, r.region
  FROM ev r
  JOIN begun b ON b.run_id = r.run_id AND b.example = r.example AND r.seq < b.seq
  SEMI JOIN ev o ON o.run_id = r.run_id AND o.example = r.example AND o.client = r.client AND o.kind = 'observed'
  ANTI JOIN withdrawn w ON w.run_id = r.run_id AND w.example = r.example AND w.client = r.client
  ANTI JOIN lost g ON g.run_id = r.run_id AND g.example = r.example
  WHERE r.kind = 'ri_end' AND r.interest_kind = 'all' AND r.receive_values AND r.status = 'ok'
),
pairs AS (
  SELECT a.run_id, a.example, a.region, a.client AS checking, b.client AS opted_out
  FROM followed a
  JOIN followed b ON b.run_id = a.run_id AND b.example = a.example AND b.region = a.region
  JOIN clientele c ON c.run_id = a.run_id AND c.example = a.example AND c.client = a.client AND c.checked
  JOIN clientele d ON d.run_id = a.run_id AND d.example = a.example AND d.client = b.client AND NOT d.checked
    AND d.first_server = c.first_server
),
touched AS (
  SELECT DISTINCT run_id, example, client, region, key
  FROM ev
  WHERE kind = 'op_begin' AND client IS NOT NULL
),
told AS (
  SELECT run_id, example, client, op_id, min(seq) AS seq
  FROM ev
  WHERE kind = 'listener' AND client IS NOT NULL AND op_id IS NOT NULL
  GROUP BY run_id, example, client, op_id
)
SELECT o.run_id, o.example, t.seq, o.region || '/' || o.key AS subject,
  o.op || ' ' || o.token || ' shown to ' || p.checking || CASE WHEN u.seq IS NULL THEN ', not to ' ELSE ' and ' END || p.opted_out AS witness,
  u.seq IS NULL AS violated
FROM ev o
JOIN pairs p ON p.run_id = o.run_id AND p.example = o.example AND p.region = o.region
JOIN told t ON t.run_id = o.run_id AND t.example = o.example AND t.client = p.checking AND t.op_id = o.op_id
JOIN rested r ON r.run_id = o.run_id AND r.example = o.example AND o.seq < r.seq
LEFT JOIN told u ON u.run_id = o.run_id AND u.example = o.example AND u.client = p.opted_out AND u.op_id = o.op_id
ANTI JOIN touched x ON x.run_id = o.run_id AND x.example = o.example AND x.region = o.region AND x.key = o.key
  AND x.client IN (p.checking, p.opted_out)
WHERE o.kind = 'op_begin' AND o.op IN ('put', 'create', 'destroy') AND o.token IS NOT NULL
