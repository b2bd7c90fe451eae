-- requirement: GWQ-ACK-04
-- view: black-box
-- empty-start: no
-- only-with: queue_host
-- parts: feeds, troubled, kept
-- columns: run_id, example, seq, kind, site, member, region, key, op_id, token, listener, origin_site
-- opportunity: an operation of another site shown to a listener, in an example with two sites, one queue
--   between them for the region, no gate and nothing out of order
-- violation: shown more than once
WITH two_sites AS (
  SELECT run_id, example
  FROM ev
  WHERE kind = 'member_start'
  GROUP BY run_id, example
  HAVING count(DISTINCT site) = 2
),
gated AS (
  SELECT DISTINCT run_id, example
  FROM ev
  WHERE kind = 'gate_arm'
),
single AS (
  SELECT run_id, example, region, from_site, to_site
  FROM feeds
  GROUP BY run_id, example, region, from_site, to_site
  HAVING count(DISTINCT queue) = 1
)
SELECT e.run_id, e.example, max(e.seq) AS seq, e.region || '/' || coalesce(e.key, '') AS subject,
  coalesce(e.token, '') || ' shown on ' || e.member || ' ' || CAST(count(e.seq) AS STRING) || ' times' AS witness,
  count(e.seq) > 1 AS violated
FROM ev e
SEMI JOIN two_sites s ON s.run_id = e.run_id AND s.example = e.example
SEMI JOIN kept k ON k.run_id = e.run_id AND k.example = e.example AND k.region = e.region
SEMI JOIN single f ON f.run_id = e.run_id AND f.example = e.example AND f.region = e.region
  AND f.from_site = e.origin_site AND f.to_site = e.site
ANTI JOIN gated g ON g.run_id = e.run_id AND g.example = e.example
ANTI JOIN troubled t ON t.run_id = e.run_id AND t.example = e.example
WHERE e.kind = 'listener' AND e.op_id IS NOT NULL
GROUP BY e.run_id, e.example, e.member, e.listener, e.region, e.key, e.op_id, e.token
