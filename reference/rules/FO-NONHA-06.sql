-- requirement: FO-NONHA-06
-- view: black-box
-- empty-start: no
-- only-with: client_start
-- parts: sureties, wants, told
-- columns: seq
-- opportunity: an operation of which all had come to rest before a client lost every server that kept its
--   queue, another that it names being alive, on a key that it is registered for then and never gets
-- violation: its listener is told of it behind that loss
SELECT DISTINCT s.run_id, s.example, coalesce(t.last_at, k.line_lost_at) AS seq, s.region || '/' || s.key AS subject,
  s.op || ' ' || coalesce(s.token, '') || ' on ' || s.member
    || CASE WHEN coalesce(t.last_at, -1) > k.line_lost_at THEN ' told' ELSE ' not told' END
    || ' to ' || k.client || ' once it has lost its servers' AS witness,
  coalesce(t.last_at, -1) > k.line_lost_at AS violated
FROM sureties s
JOIN clientele k ON k.run_id = s.run_id AND k.example = s.example AND s.rest_at < k.line_lost_at
  AND k.line_lost_at < k.all_lost_at
JOIN wants w ON w.run_id = s.run_id AND w.example = s.example AND w.client = k.client AND w.region = s.region
  AND w.key = s.key AND w.from_at < k.line_lost_at AND w.until_at > k.line_lost_at
ANTI JOIN fetched f ON f.run_id = s.run_id AND f.example = s.example AND f.client = k.client AND f.region = s.region
  AND f.key = s.key
LEFT JOIN told t ON t.run_id = s.run_id AND t.example = s.example AND t.client = k.client AND t.op_id = s.op_id
WHERE s.member <> k.client
