-- requirement: CFG-CHECKS-04
-- view: black-box
-- empty-start: no
-- only-with: config
-- columns: run_id, example, seq, kind, member, region, policy, checks, name, value, status
-- opportunity: a member was to host a region with another setting of checking than one that has hosted it all
--   the time
-- violation: it hosts it so
WITH hosts AS (
  SELECT run_id, example, member, region, CASE WHEN coalesce(checks, true) THEN 'true' ELSE 'false' END AS setting
  FROM ev
  WHERE kind = 'region_host' AND policy IS NOT NULL AND member IS NOT NULL
),
left_at AS (
  SELECT run_id, example, member, region, min(seq) AS seq
  FROM ev
  WHERE kind = 'region_close'
  GROUP BY run_id, example, member, region
),
tried AS (
  SELECT run_id, example, seq, member, region, value, status, CASE WHEN checks THEN 'true' ELSE 'false' END AS asked
  FROM ev
  WHERE kind = 'config' AND name = 'concurrency-checks-enabled' AND checks IS NOT NULL
)
SELECT t.run_id, t.example, t.seq, t.region AS subject,
  min(t.member || ' asked for ' || t.asked || ', where ' || h.member || ' has ' || h.setting || ': ' || coalesce(t.status, '')) AS witness,
  bool_or(coalesce(t.value, '') = t.asked) AS violated
FROM tried t
JOIN hosts h ON h.run_id = t.run_id AND h.example = t.example AND h.region = t.region AND h.member <> t.member AND h.setting <> t.asked
LEFT JOIN left_at l ON l.run_id = t.run_id AND l.example = t.example AND l.region = t.region AND l.member = h.member AND l.seq < t.seq
WHERE l.seq IS NULL
GROUP BY t.run_id, t.example, t.seq, t.region
