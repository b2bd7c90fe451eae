-- requirement: WANC-RESOLVER-05
-- view: black-box
-- empty-start: no
-- only-with: resolver_call
-- parts:
-- columns: run_id, example, seq, kind, site, member, region, key, token, detail, outcome, tx_id, op_id
-- opportunity: a call of a conflict resolver that puts another value in place of an event's, of no transaction
-- violation: a member of its site is told of the event's own value
WITH told AS (
  SELECT run_id, example, site, region, key, token, min(member) AS member
  FROM ev
  WHERE kind = 'listener' AND token IS NOT NULL AND detail IS NULL
  GROUP BY run_id, example, site, region, key, token
)
SELECT c.run_id, c.example, c.seq, c.region || '/' || c.key AS subject,
  'the resolver of ' || c.member || ' replaced ' || c.token
    || coalesce(', of which ' || t.member || ' was told', '') AS witness,
  t.member IS NOT NULL AS violated
FROM ev c
LEFT JOIN told t ON t.run_id = c.run_id AND t.example = c.example AND t.site = c.site AND t.region = c.region
  AND t.key = c.key AND t.token = c.token
ANTI JOIN ev x ON x.run_id = c.run_id AND x.example = c.example AND x.op_id = c.op_id AND x.kind = 'op_begin'
  AND x.tx_id IS NOT NULL
WHERE c.kind = 'resolver_call' AND c.outcome = 'replace' AND c.token IS NOT NULL
