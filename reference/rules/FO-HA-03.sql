-- requirement: FO-HA-03
-- view: black-box
-- empty-start: no
-- only-with: client_start
-- parts: clientele, served, told
-- columns: token
-- opportunity: an operation of another caller that a client with a secondary was told of before its first
--   server was lost; of keys that the client never gets
-- violation: it is told of it again behind that loss
WITH named AS (
  SELECT DISTINCT b.run_id, b.example, b.op_id, b.op, b.token, b.region, b.key, coalesce(b.member, b.client) AS caller
  FROM ev b
  SEMI JOIN served s ON s.run_id = b.run_id AND s.example = b.example AND s.region = b.region
  WHERE b.kind = 'op_begin'
)
SELECT n.run_id, n.example, t.last_at AS seq, n.region || '/' || n.key AS subject,
  n.op || ' ' || coalesce(n.token, '') || ' on ' || n.caller || ', told to ' || t.client || ' '
    || CAST(t.times AS STRING) || ' times' AS witness,
  t.last_at > k.first_lost_at AS violated
FROM named n
JOIN told t ON t.run_id = n.run_id AND t.example = n.example AND t.op_id = n.op_id AND t.client <> n.caller
JOIN clientele k ON k.run_id = n.run_id AND k.example = n.example AND k.client = t.client
  AND k.first_lost_at > t.first_at AND k.first_lost_at < k.line_lost_at
ANTI JOIN fetched f ON f.run_id = n.run_id AND f.example = n.example AND f.client = t.client AND f.region = n.region
  AND f.key = n.key
