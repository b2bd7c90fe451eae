-- requirement: WANC-RESOLVER-04
-- view: black-box
-- empty-start: no
-- only-with: resolver_call
-- parts:
-- columns: run_id, example, seq, kind, member, region, key, token, log_pos, outcome
-- opportunity: a call of a conflict resolver that disallows an event which tells its token
-- violation: the listener of its member is told of the event afterwards
WITH told AS (
  SELECT run_id, example, member, region, key, token, max(log_pos) AS told_at
  FROM ev
  WHERE kind = 'listener' AND token IS NOT NULL
  GROUP BY run_id, example, member, region, key, token
)
SELECT c.run_id, c.example, c.seq, c.region || '/' || c.key AS subject,
  'the resolver of ' || c.member || ' disallowed ' || c.token
    || CASE WHEN coalesce(t.told_at, -1) > c.log_pos THEN ', of which its listener was told' ELSE '' END AS witness,
  coalesce(t.told_at, -1) > c.log_pos AS violated
FROM ev c
LEFT JOIN told t ON t.run_id = c.run_id AND t.example = c.example AND t.member = c.member AND t.region = c.region
  AND t.key = c.key AND t.token = c.token
WHERE c.kind = 'resolver_call' AND c.outcome = 'disallow' AND c.token IS NOT NULL
