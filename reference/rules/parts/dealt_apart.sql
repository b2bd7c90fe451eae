-- part: Keys of which members of a site may have dealt apart with what another was not answered for, and sent again, and
--   end apart: written at several sites, more than once at one, where something may have been sent again.
-- columns: run_id, example, kind, site, region, key, op
-- needs: troubled
calls AS (
  SELECT run_id, example, region, key, site, count(*) AS many
  FROM ev
  WHERE kind = 'op_begin' AND key IS NOT NULL
    AND op IN ('put', 'create', 'put_if_absent', 'replace', 'invalidate', 'destroy')
  GROUP BY run_id, example, region, key, site
),
dealt_apart AS (
  SELECT run_id, example, region, key
  FROM calls
  SEMI JOIN troubled USING (run_id, example)
  GROUP BY run_id, example, region, key
  HAVING count(*) > 1 AND max(many) > 1
)
