-- requirement: INT-CLEAR-03
-- view: black-box
-- empty-start: no
-- only-with: client_start
-- parts: sureties, sights
-- columns: seq
-- opportunity: what a member holds at rest, behind a client's registration that covers the key, of a key
--   whose last change came before
-- violation: it is not what that change left
WITH dropped AS (
  SELECT run_id, example, region, key, seq
  FROM ev
  WHERE kind = 'ri_key'
),
last_change AS (
  SELECT s.run_id, s.example, s.seq, s.region, s.key, max(t.called_at) AS called_at
  FROM sights s
  JOIN turns t ON t.run_id = s.run_id AND t.example = s.example AND t.region = s.region AND t.key = s.key AND t.called_at < s.seq
  WHERE s.member IS NOT NULL
  GROUP BY s.run_id, s.example, s.seq, s.region, s.key
)
SELECT s.run_id, s.example, s.seq, s.region || '/' || s.key AS subject,
  s.member || ' holds ' || s.what || ' after ' || o.op || ' ' || coalesce(o.token, '') || ' on ' || o.member
    || ' and a registration of a client' AS witness,
  s.what <> CASE o.op WHEN 'destroy' THEN 'absent' WHEN 'invalidate' THEN 'invalid' ELSE 'valid ' || o.token END AS violated
FROM sights s
JOIN last_change l ON l.run_id = s.run_id AND l.example = s.example AND l.seq = s.seq
JOIN sureties o ON o.run_id = s.run_id AND o.example = s.example AND o.region = s.region AND o.key = s.key
  AND o.called_at = l.called_at
SEMI JOIN dropped d ON d.run_id = s.run_id AND d.example = s.example AND d.region = s.region AND d.key = s.key
  AND o.returned_at < d.seq AND d.seq < s.seq
WHERE s.member IS NOT NULL
