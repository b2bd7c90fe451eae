-- requirement: S2C-INT-01
-- view: black-box
-- empty-start: yes
-- only-with: client_start
-- parts: sureties, wants, told
-- columns: state_after
-- opportunity: an operation and an observed client that did not call it and that no registration for its
--   key concerns from the call until the end; of keys that the client never gets
-- violation: the client is told of it, or holds the key though it never registered for it nor called
--   anything on it
WITH watching AS (
  SELECT DISTINCT run_id, example, client
  FROM ev
  WHERE kind = 'observed' AND client IS NOT NULL
),
known AS (
  SELECT DISTINCT run_id, example, client, region, key
  FROM ev
  WHERE kind IN ('ri_key', 'op_begin') AND client IS NOT NULL
),
held AS (
  SELECT c.run_id, c.example, c.client, c.region, c.key, min(c.seq) AS held_at, min(coalesce(c.value, 'no value')) AS what
  FROM ev c
  ANTI JOIN known n ON n.run_id = c.run_id AND n.example = c.example AND n.client = c.client AND n.region = c.region
    AND n.key = c.key
  WHERE c.kind IN ('content', 'final_value') AND c.client IS NOT NULL AND c.state_after <> 'absent'
  GROUP BY c.run_id, c.example, c.client, c.region, c.key
)
SELECT s.run_id, s.example, coalesce(t.first_at, h.held_at, s.rest_at) AS seq, s.region || '/' || s.key AS subject,
  s.op || ' ' || coalesce(s.token, '') || ' on ' || s.member || ': ' || c.client
    || CASE WHEN t.times IS NOT NULL THEN ' is told' WHEN h.what IS NOT NULL THEN ' holds ' || h.what ELSE ' is not told' END AS witness,
  t.times IS NOT NULL OR h.what IS NOT NULL AS violated
FROM sureties s
JOIN watching c ON c.run_id = s.run_id AND c.example = s.example AND c.client <> s.member
ANTI JOIN wants w ON w.run_id = s.run_id AND w.example = s.example AND w.client = c.client AND w.region = s.region
  AND w.key = s.key AND w.until_at > s.called_at
ANTI JOIN fetched f ON f.run_id = s.run_id AND f.example = s.example AND f.client = c.client AND f.region = s.region
  AND f.key = s.key
LEFT JOIN told t ON t.run_id = s.run_id AND t.example = s.example AND t.client = c.client AND t.op_id = s.op_id
LEFT JOIN held h ON h.run_id = s.run_id AND h.example = s.example AND h.client = c.client AND h.region = s.region
  AND h.key = s.key AND h.held_at > s.called_at
