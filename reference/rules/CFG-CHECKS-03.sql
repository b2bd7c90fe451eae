-- requirement: CFG-CHECKS-03
-- view: black-box
-- empty-start: no
-- only-with: config
-- columns: run_id, example, seq, kind, member, region, policy, checks, name, value
-- opportunity: a member is read whether it checks a region for which that was named
-- violation: it says otherwise
WITH named AS (
  SELECT run_id, example, member, region, CASE WHEN checks THEN 'true' ELSE 'false' END AS setting
  FROM ev
  WHERE kind = 'region_host' AND policy IS NOT NULL AND member IS NOT NULL AND checks IS NOT NULL
)
SELECT c.run_id, c.example, c.seq, c.region AS subject,
  c.member || ' was told ' || n.setting || ' and says ' || coalesce(c.value, 'nothing') AS witness,
  coalesce(c.value, '') <> n.setting AS violated
FROM ev c
JOIN named n ON n.run_id = c.run_id AND n.example = c.example AND n.member = c.member AND n.region = c.region
WHERE c.kind = 'config' AND c.name = 'concurrency-checks-enabled' AND c.checks IS NULL
