-- requirement: C2S-PROP-02
-- view: black-box
-- empty-start: no
-- only-with: client_start
-- parts: sureties, wants, told
-- columns: seq
-- opportunity: an operation of a client that is registered for its key from before the call until all
--   rests; of keys that the client never gets
-- violation: its own listener is told of it more than once
SELECT DISTINCT s.run_id, s.example, coalesce(t.last_at, s.rest_at) AS seq, s.region || '/' || s.key AS subject,
  s.op || ' ' || coalesce(s.token, '') || ' told to its caller ' || s.member || ' '
    || CAST(coalesce(t.times, 0) AS STRING) || ' times' AS witness,
  coalesce(t.times, 0) > 1 AS violated
FROM sureties s
JOIN wants w ON w.run_id = s.run_id AND w.example = s.example AND w.client = s.member AND w.region = s.region
  AND w.key = s.key AND w.from_at < s.called_at AND w.until_at > s.rest_at
ANTI JOIN fetched f ON f.run_id = s.run_id AND f.example = s.example AND f.client = s.member AND f.region = s.region
  AND f.key = s.key
LEFT JOIN told t ON t.run_id = s.run_id AND t.example = s.example AND t.client = s.member AND t.op_id = s.op_id
WHERE s.of_client
