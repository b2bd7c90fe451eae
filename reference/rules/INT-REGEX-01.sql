-- requirement: INT-REGEX-01
-- view: black-box
-- empty-start: yes
-- only-with: client_start
-- parts: owed
-- columns: seq
-- opportunity: an operation owed with its value to a client whose registrations for the key are all
--   expressions, while its first server lives; an operation on a key that none of a client's registrations
--   covers, one of them being an expression
-- violation: the client is never told of the first; it is told of the second
WITH expressive AS (
  SELECT DISTINCT run_id, example, client, region, seq
  FROM ev
  WHERE kind = 'ri_begin' AND interest_kind = 'regex'
),
beside AS (
  SELECT DISTINCT s.run_id, s.example, s.op_id, x.client
  FROM sureties s
  JOIN expressive x ON x.run_id = s.run_id AND x.example = s.example AND x.region = s.region AND x.seq < s.called_at
    AND x.client <> s.member
  ANTI JOIN wants w ON w.run_id = s.run_id AND w.example = s.example AND w.client = x.client AND w.region = s.region
    AND w.key = s.key AND w.until_at > s.called_at
  ANTI JOIN fetched f ON f.run_id = s.run_id AND f.example = s.example AND f.client = x.client AND f.region = s.region
    AND f.key = s.key
)

SELECT o.run_id, o.example, coalesce(o.first_at, o.rest_at) AS seq, o.region || '/' || o.key AS subject, o.witness,
  o.times = 0 AS violated
FROM owed o
WHERE o.all_bring AND o.by_expression AND o.op IN ('put', 'create') AND o.first_lost_at > o.rest_at
UNION ALL
SELECT s.run_id, s.example, coalesce(t.first_at, s.rest_at) AS seq, s.region || '/' || s.key AS subject,
  s.op || ' ' || coalesce(s.token, '') || ' on ' || s.member || CASE WHEN t.times IS NULL THEN ' not' ELSE '' END
    || ' told to ' || b.client || ', whose expressions do not match the key' AS witness,
  t.times IS NOT NULL AS violated
FROM sureties s
JOIN beside b ON b.run_id = s.run_id AND b.example = s.example AND b.op_id = s.op_id
LEFT JOIN told t ON t.run_id = s.run_id AND t.example = s.example AND t.client = b.client AND t.op_id = s.op_id
