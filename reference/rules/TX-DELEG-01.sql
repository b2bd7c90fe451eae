-- requirement: TX-DELEG-01
-- view: black-box
-- empty-start: no
-- columns: run_id, example, seq, kind, member, region, policy, op, op_id, name, origin_member
-- opportunity: a commit, called on a member that is normal, preloaded or empty, that was to stand in the writer of
--   the only replicate
-- violation: it has not come there, though all the time was given
WITH lesser AS (
  SELECT run_id, example, member, region
  FROM ev
  WHERE kind = 'region_host' AND policy IN ('normal', 'preloaded', 'empty')
),
only_replicates AS (
  SELECT run_id, example, region, min(member) AS member
  FROM ev
  WHERE kind = 'region_host' AND policy = 'replicate'
  GROUP BY run_id, example, region
  HAVING count(DISTINCT member) = 1
)
SELECT g.run_id, g.example, g.seq, g.region AS subject,
  'commit of ' || g.origin_member || CASE WHEN g.kind = 'gate_miss' THEN ' not' ELSE '' END || ' in the writer of ' || g.member AS witness,
  g.kind = 'gate_miss' AS violated
FROM ev g
SEMI JOIN lesser l ON l.run_id = g.run_id AND l.example = g.example AND l.member = g.origin_member AND l.region = g.region
SEMI JOIN only_replicates r ON r.run_id = g.run_id AND r.example = g.example AND r.member = g.member AND r.region = g.region
WHERE g.kind IN ('gate_park', 'gate_miss') AND g.name = 'writer' AND g.op = 'tx_commit' AND g.op_id IS NOT NULL
