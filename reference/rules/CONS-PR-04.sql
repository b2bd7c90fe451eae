-- requirement: CONS-PR-04
-- view: black-box
-- empty-start: no
-- only-with: role
-- parts: placed
-- columns: seq, region, key, member, role, state_after, value
-- opportunity: a key of a partitioned region read at the quiet end on two or more of the members that hold it; examples in
--   which a member dies tell nothing
-- violation: they do not hold the same
SELECT f.run_id, f.example, max(f.seq) AS seq, f.region || '/' || f.key AS subject,
  min(f.state_after || coalesce(' ' || f.value, '') || ' on ' || f.member) || ', '
    || max(f.state_after || coalesce(' ' || f.value, '') || ' on ' || f.member) AS witness,
  min(f.state_after || coalesce(' ' || f.value, '')) <> max(f.state_after || coalesce(' ' || f.value, '')) AS violated
FROM ev f
JOIN placed p ON p.run_id = f.run_id AND p.example = f.example AND p.region = f.region AND p.key = f.key
  AND p.member = f.member
ANTI JOIN deaths d ON d.run_id = f.run_id AND d.example = f.example
WHERE f.kind = 'final_value'
GROUP BY f.run_id, f.example, f.region, f.key
HAVING count(DISTINCT f.member) > 1
