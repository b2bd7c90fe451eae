-- requirement: CFG-CHECKS-01
-- view: black-box
-- empty-start: no
-- only-with: config
-- columns: run_id, example, seq, kind, member, region, policy, checks, name, value
-- opportunity: a member is read whether it checks a region for which that was left to the default
-- violation: it does not
WITH unnamed_hosts AS (
  SELECT DISTINCT run_id, example, member, region
  FROM ev
  WHERE kind = 'region_host' AND policy IS NOT NULL AND member IS NOT NULL AND checks IS NULL
),
settings AS (
  SELECT DISTINCT run_id, example, region
  FROM ev
  WHERE kind = 'region_host' AND member IS NOT NULL AND checks IS NOT NULL
)
SELECT c.run_id, c.example, c.seq, c.region AS subject,
  c.member || ' says ' || coalesce(c.value, 'nothing') || ' where nothing was named' AS witness, coalesce(c.value, '') <> 'true' AS violated
FROM ev c
JOIN unnamed_hosts n ON n.run_id = c.run_id AND n.example = c.example AND n.member = c.member AND n.region = c.region
ANTI JOIN settings s ON s.run_id = c.run_id AND s.example = c.example AND s.region = c.region
WHERE c.kind = 'config' AND c.name = 'concurrency-checks-enabled' AND c.checks IS NULL
