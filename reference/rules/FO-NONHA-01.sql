-- requirement: FO-NONHA-01
-- view: black-box
-- empty-start: no
-- only-with: client_start
-- parts: arrived
-- columns: seq
-- opportunity: a client's first server is lost while another that keeps its queue lives. Either two
--   neighbouring sights of a key at rest, one before and one behind the loss. No operation on the key, no
--   registration of the client and no call of its listener about the key comes between them. Or a sight
--   behind the loss where the last call before was owed to the client with its value. No such listener
--   call comes behind the loss then
-- violation: they differ; it is not what that call left
WITH neighbours AS (
  SELECT run_id, example, seq, client, region, key, what, registered_at,
    lag(seq) OVER (PARTITION BY run_id, example, client, region, key ORDER BY seq NULLS LAST) AS seq_before,
    lag(what) OVER (PARTITION BY run_id, example, client, region, key ORDER BY seq NULLS LAST) AS what_before,
    lag(registered_at) OVER (PARTITION BY run_id, example, client, region, key ORDER BY seq NULLS LAST) AS registered_before
  FROM sights
  WHERE client IS NOT NULL
)
SELECT n.run_id, n.example, n.seq, n.region || '/' || n.key AS subject,
  n.client || ' holds ' || n.what || ' after the loss of ' || k.first_server || ', before ' || n.what_before AS witness,
  n.what <> n.what_before AS violated
FROM neighbours n
JOIN clientele k ON k.run_id = n.run_id AND k.example = n.example AND k.client = n.client
  AND n.seq_before < k.first_lost_at AND k.first_lost_at < n.seq AND n.seq < k.line_lost_at
ANTI JOIN ev b ON b.run_id = n.run_id AND b.example = n.example AND b.region = n.region AND b.key = n.key
  AND b.kind = 'op_begin' AND n.seq_before < b.seq AND b.seq < n.seq
-- The new primary may still send an event that the lost one never had.
ANTI JOIN ev l ON l.run_id = n.run_id AND l.example = n.example AND l.client = n.client
  AND l.region = n.region AND l.key = n.key AND l.kind = 'listener' AND n.seq_before < l.seq AND l.seq < n.seq
WHERE n.registered_at = n.registered_before
UNION ALL
SELECT a.run_id, a.example, a.seq, a.region || '/' || a.key AS subject, a.witness, a.what <> a.ought AS violated
FROM arrived a
ANTI JOIN ev l ON l.run_id = a.run_id AND l.example = a.example AND l.client = a.client
  AND l.region = a.region AND l.key = a.key AND l.kind = 'listener' AND a.first_lost_at < l.seq AND l.seq < a.seq
WHERE a.all_bring AND a.op IN ('put', 'create') AND a.rest_at < a.first_lost_at AND a.first_lost_at < a.seq
  AND a.seq < a.line_lost_at
