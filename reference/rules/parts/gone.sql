-- part: Members that were killed or closed; one that was started again counts as gone, its memory is.
-- columns: run_id, example, seq, kind, site, member, client
-- needs:
gone AS (
  SELECT run_id, example, site, member, min(seq) AS gone_at
  FROM ev
  WHERE kind IN ('crash', 'member_stop') AND member IS NOT NULL AND client IS NULL
  GROUP BY run_id, example, site, member
)
