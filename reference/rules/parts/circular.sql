-- part: Keys of which updates may beat one another in a circle: by version where a site wrote them, by timestamp elsewhere.
-- columns: run_id, example, kind, site, member, client, region, key, op
-- needs:
writers AS (
  SELECT run_id, example, region, key, site, count(DISTINCT coalesce(member, client)) AS many
  FROM ev
  WHERE kind = 'op_begin' AND key IS NOT NULL
    AND op IN ('put', 'create', 'put_if_absent', 'replace', 'invalidate', 'destroy')
  GROUP BY run_id, example, region, key, site
),
circular AS (
  SELECT run_id, example, region, key
  FROM writers
  GROUP BY run_id, example, region, key
  HAVING count(*) > 1 AND max(many) > 1
)
