-- requirement: CFG-CHECKS-08
-- view: black-box
-- empty-start: no
-- columns: run_id, example, seq, kind, member, policy, checks, op, name, amount
-- opportunity: a reading of conflatedEvents or of a gauge of tombstones on a member all of whose regions do
--   without checking, behind a call that changes something
-- violation: it is not zero
WITH unchecked AS (
  SELECT run_id, example, member
  FROM ev
  WHERE kind = 'region_host' AND member IS NOT NULL AND policy IS NOT NULL
  GROUP BY run_id, example, member
  HAVING bool_and(NOT coalesce(checks, true))
),
changed AS (
  SELECT run_id, example, min(seq) AS seq
  FROM ev
  WHERE kind = 'op_begin' AND op IN ('put', 'create', 'put_if_absent', 'replace', 'invalidate', 'destroy')
  GROUP BY run_id, example
)
SELECT s.run_id, s.example, s.seq, s.member AS subject,
  s.name || ' of ' || s.member || ' says ' || CAST(s.amount AS STRING) AS witness, s.amount <> 0 AS violated
FROM ev s
JOIN unchecked u ON u.run_id = s.run_id AND u.example = s.example AND u.member = s.member
JOIN changed c ON c.run_id = s.run_id AND c.example = s.example AND c.seq < s.seq
WHERE s.kind = 'stat'
  AND s.name IN ('conflatedEvents', 'tombstoneCount', 'replicatedTombstonesSize', 'nonReplicatedTombstonesSize')
