-- requirement: C2S-OPS-03
-- view: black-box
-- empty-start: no
-- only-with: client_start
-- parts: sights, sureties
-- columns: run_id, example, seq, kind, member, client, region, key, op, op_id, token, status
-- opportunity: a destroy of a client that has neither registered for the key nor called anything on it
--   before, answered for good, of a key of which its server, alive, was seen to hold a value at rest, or on
--   which a put had come to rest, with nothing called on the key since
-- violation: the client is told that there was nothing to destroy
WITH destroys AS (
  SELECT b.run_id, b.example, b.client, b.region, b.key, b.op_id, b.token, b.seq AS called_at, e.seq AS over_at, e.status
  FROM ev b
  JOIN ev e ON e.run_id = b.run_id AND e.example = b.example AND e.op_id = b.op_id AND e.kind = 'op_end'
    AND e.status IN ('ok', 'absent')
  WHERE b.kind = 'op_begin' AND b.op = 'destroy' AND b.client IS NOT NULL
),
acquainted AS (
  SELECT run_id, example, client, region, key, min(seq) AS since
  FROM ev
  WHERE kind IN ('op_begin', 'ri_key') AND client IS NOT NULL
  GROUP BY run_id, example, client, region, key
),
sure_of AS (
  SELECT run_id, example, member, region, key, seq AS known_at, seq AS since
  FROM sights
  WHERE state = 'valid' AND member IS NOT NULL
  UNION ALL
  SELECT s.run_id, s.example, k.first_server AS member, s.region, s.key, s.rest_at AS known_at, s.called_at AS since
  FROM sureties s
  JOIN clientele k ON k.run_id = s.run_id AND k.example = s.example
  WHERE s.op IN ('put', 'create')
),
seen AS (
  SELECT d.run_id, d.example, d.op_id, d.over_at, max(s.since) AS seen_at
  FROM destroys d
  JOIN clientele k ON k.run_id = d.run_id AND k.example = d.example AND k.client = d.client AND k.first_lost_at > d.over_at
  JOIN sure_of s ON s.run_id = d.run_id AND s.example = d.example AND s.member = k.first_server AND s.region = d.region
    AND s.key = d.key AND s.known_at < d.called_at
  GROUP BY d.run_id, d.example, d.op_id, d.over_at
),
meddled_since AS (
  SELECT n.run_id, n.example, n.op_id
  FROM seen n
  JOIN destroys d ON d.run_id = n.run_id AND d.example = n.example AND d.op_id = n.op_id
  JOIN ev b ON b.run_id = n.run_id AND b.example = n.example AND b.region = d.region AND b.kind = 'op_begin'
    AND coalesce(b.key, d.key) = d.key AND b.op_id <> d.op_id AND n.seen_at < b.seq AND b.seq < n.over_at
)
SELECT d.run_id, d.example, d.over_at AS seq, d.region || '/' || d.key AS subject,
  'destroy ' || coalesce(d.token, '') || ' of ' || d.client || ' ended ' || d.status AS witness, d.status = 'absent' AS violated
FROM destroys d
JOIN seen n ON n.run_id = d.run_id AND n.example = d.example AND n.op_id = d.op_id
JOIN acquainted q ON q.run_id = d.run_id AND q.example = d.example AND q.client = d.client AND q.region = d.region
  AND q.key = d.key AND q.since = d.called_at
ANTI JOIN meddled_since m ON m.run_id = d.run_id AND m.example = d.example AND m.op_id = d.op_id
