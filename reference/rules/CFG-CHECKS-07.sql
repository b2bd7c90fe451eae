-- requirement: CFG-CHECKS-07
-- view: black-box
-- empty-start: yes
-- columns: run_id, example, seq, kind, member, client, region, key, op_id, policy, checks, state_after, value
-- opportunity: a value that a member or client without checking holds at the quiet end
-- violation: no call has written it under that key
WITH unchecked AS (
  SELECT DISTINCT run_id, example, coalesce(member, client) AS holder, region
  FROM ev
  WHERE kind = 'region_host' AND policy IS NOT NULL AND NOT coalesce(checks, true)
),
loading AS (
  SELECT DISTINCT run_id, example
  FROM ev
  WHERE kind IN ('loader_call', 'resolver_call')
)
SELECT f.run_id, f.example, f.seq, f.region || '/' || f.key AS subject,
  u.holder || ' holds ' || coalesce(f.value, 'no known value') || CASE WHEN b.op_id IS NULL THEN ', which no call has written' ELSE '' END
    AS witness,
  b.op_id IS NULL AS violated
FROM ev f
JOIN unchecked u ON u.run_id = f.run_id AND u.example = f.example AND u.holder = coalesce(f.member, f.client) AND u.region = f.region
LEFT JOIN ev b ON b.run_id = f.run_id AND b.example = f.example AND b.op_id = f.op_id AND b.region = f.region AND b.key = f.key
  AND b.kind = 'op_begin'
ANTI JOIN loading l ON l.run_id = f.run_id AND l.example = f.example
WHERE f.kind = 'final_value' AND f.state_after = 'valid'
