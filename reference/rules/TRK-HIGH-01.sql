-- requirement: TRK-HIGH-01
-- view: black-box
-- empty-start: no
-- only-with: client_start
-- parts: told
-- columns: run_id, example, seq, kind, member, client, region, key, op, op_id, token, status
-- opportunity: a put of a client, called while what a server answered to it was lost, that ended well all the
--   same, and a member or another client that was told of it; in examples in which no member is lost, nothing
--   is delivered again and time is not moved; of keys that no client gets
-- violation: it was told of it more than once
WITH troubled_otherwise AS (
  SELECT DISTINCT run_id, example
  FROM ev
  WHERE kind IN ('crash', 'member_stop', 'redeliver', 'advance', 'region_close', 'inject')
),
latest AS (
  SELECT b.run_id, b.example, b.seq, b.op_id, b.client, b.region, b.key, b.token, max(l.seq) AS link_at
  FROM ev b
  JOIN ev l ON l.run_id = b.run_id AND l.example = b.example AND l.kind = 'link' AND l.client = b.client AND l.seq < b.seq
  WHERE b.kind = 'op_begin' AND b.op = 'put' AND b.client IS NOT NULL
  GROUP BY b.run_id, b.example, b.seq, b.op_id, b.client, b.region, b.key, b.token
),
in_vain AS (
  SELECT a.run_id, a.example, a.op_id, a.client, a.region, a.key, a.token
  FROM latest a
  JOIN ev l ON l.run_id = a.run_id AND l.example = a.example AND l.seq = a.link_at AND l.status = 'drop_acks'
  JOIN ev e ON e.run_id = a.run_id AND e.example = a.example AND e.op_id = a.op_id AND e.kind = 'op_end' AND e.status = 'ok'
  SEMI JOIN ev c ON c.run_id = a.run_id AND c.example = a.example AND c.kind = 'client_start' AND c.client = a.client
  ANTI JOIN troubled_otherwise x ON x.run_id = a.run_id AND x.example = a.example
)
SELECT v.run_id, v.example, max(t.seq) AS seq, v.region || '/' || v.key AS subject,
  'put ' || v.token || ' of ' || v.client || ' told to ' || coalesce(t.client, t.member) || ' '
    || CAST(count(t.seq) AS STRING) || ' times' AS witness,
  count(t.seq) > 1 AS violated
FROM in_vain v
JOIN ev t ON t.run_id = v.run_id AND t.example = v.example AND t.op_id = v.op_id AND t.kind = 'listener'
  AND coalesce(t.client, t.member) <> v.client
ANTI JOIN fetched f ON f.run_id = v.run_id AND f.example = v.example AND f.client = t.client AND f.region = v.region
  AND f.key = v.key
GROUP BY v.run_id, v.example, v.region, v.key, v.token, v.client, v.op_id, t.client, t.member
