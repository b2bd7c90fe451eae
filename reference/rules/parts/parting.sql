-- part: Keys of which members, or sites, may end apart as the documents have it: written at several sites, and by several
--   members of one, so that updates may beat one another in a circle; or more than once at one, where what was not
--   answered may have been sent again, and dealt with apart.
-- columns: run_id, example, kind, status, site, member, client, region, key, op
-- needs: troubled
writers AS (
  SELECT run_id, example, region, key, site, count(DISTINCT coalesce(member, client)) AS many, count(*) AS calls
  FROM ev
  WHERE kind = 'op_begin' AND key IS NOT NULL
    AND op IN ('put', 'create', 'put_if_absent', 'replace', 'invalidate', 'destroy')
  GROUP BY run_id, example, region, key, site
),
parting AS (
  SELECT w.run_id, w.example, w.region, w.key
  FROM writers w
  LEFT JOIN troubled t ON t.run_id = w.run_id AND t.example = w.example
  GROUP BY w.run_id, w.example, w.region, w.key
  HAVING count(*) > 1 AND (max(w.many) > 1 OR (max(w.calls) > 1 AND count(t.example) > 0))
)
