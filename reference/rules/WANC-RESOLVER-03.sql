-- requirement: WANC-RESOLVER-03
-- view: black-box
-- empty-start: no
-- only-with: resolver_call
-- parts: rest, gone
-- columns: run_id, example, seq, kind, site, member, region, key, op, token, log_pos, outcome
-- opportunity: a call of a conflict resolver that allows an update, before all came to rest; its member not lost
-- violation: the listener of its member is never told of the update afterwards
WITH told AS (
  SELECT run_id, example, member, region, key, token, max(log_pos) AS told_at
  FROM ev
  WHERE kind = 'listener' AND token IS NOT NULL
  GROUP BY run_id, example, member, region, key, token
)
SELECT c.run_id, c.example, c.seq, c.region || '/' || c.key AS subject,
  'the resolver of ' || c.member || ' allowed ' || c.token
    || CASE WHEN coalesce(t.told_at, -1) > c.log_pos THEN ', and its listener was told' ELSE ', of which its listener was not told' END AS witness,
  coalesce(t.told_at, -1) < c.log_pos AS violated
FROM ev c
JOIN rest r ON r.run_id = c.run_id AND r.example = c.example AND r.rest_at > c.seq
LEFT JOIN told t ON t.run_id = c.run_id AND t.example = c.example AND t.member = c.member AND t.region = c.region
  AND t.key = c.key AND t.token = c.token
ANTI JOIN gone g ON g.run_id = c.run_id AND g.example = c.example AND g.member = c.member
WHERE c.kind = 'resolver_call' AND c.outcome = 'allow' AND c.op = 'put' AND c.token IS NOT NULL
