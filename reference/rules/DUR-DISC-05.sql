-- requirement: DUR-DISC-05
-- view: black-box
-- empty-start: no
-- only-with: ready
-- parts: stored
-- columns: seq, kind, client, region, key, op_id, amount
-- opportunity: an event that a durable client was told of in the life before, and behind which all rested and more
--   than ten seconds were let pass before it went; it calls nothing on the key
-- violation: the client is told of it again in the next life
WITH known AS (
  SELECT t.run_id, t.example, t.client, t.begun_at, t.op_id, min(s.seq) AS known_at
  FROM told_in t
  JOIN open_rests s ON s.run_id = t.run_id AND s.example = t.example AND s.seq > t.first_at
  GROUP BY t.run_id, t.example, t.client, t.begun_at, t.op_id
),
waited AS (
  SELECT l.run_id, l.example, l.client, l.begun_at, k.op_id, sum(a.amount) AS passed_ms
  FROM lives l
  JOIN known k ON k.run_id = l.run_id AND k.example = l.example AND k.client = l.client AND k.begun_at = l.before_at
  JOIN ev a ON a.run_id = l.run_id AND a.example = l.example AND a.kind = 'advance' AND a.seq > k.known_at
    AND a.seq < l.left_at
  GROUP BY l.run_id, l.example, l.client, l.begun_at, k.op_id
)
SELECT w.run_id, w.example, coalesce(n.first_at, l.rest_at) AS seq, o.region || '/' || o.key AS subject,
  o.op || ' on ' || o.key || ', acknowledged ' || CAST(w.passed_ms AS STRING) || ' ms before ' || w.client
    || ' went, is told ' || CAST(coalesce(n.times, 0) AS STRING) || ' times in its next life' AS witness,
  coalesce(n.times, 0) > 0 AS violated
FROM waited w
JOIN lives l ON l.run_id = w.run_id AND l.example = w.example AND l.client = w.client AND l.begun_at = w.begun_at
JOIN ev o ON o.run_id = w.run_id AND o.example = w.example AND o.op_id = w.op_id AND o.kind = 'op_begin'
ANTI JOIN ev b ON b.run_id = w.run_id AND b.example = w.example AND b.client = w.client AND b.region = o.region
  AND b.key = o.key AND b.kind = 'op_begin'
LEFT JOIN told_in n ON n.run_id = w.run_id AND n.example = w.example AND n.client = w.client AND n.begun_at = w.begun_at
  AND n.op_id = w.op_id
WHERE w.passed_ms > 10000 AND l.rest_at IS NOT NULL
