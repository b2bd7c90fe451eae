-- requirement: CLEAR-CONV-01
-- view: black-box
-- empty-start: no
-- parts: parting
-- columns: run_id, example, seq, kind, site, member, client, region, key, op, op_id, policy, scope, checks, status,
--   state_after, value, tx_id, question
-- opportunity: a key of a replicated region with checks on that a member has cleared, read at the quiet end on the members of
--   the site in which the clear was called, two or more that neither was lost nor gave the region up: their copies,
--   and with acknowledgements what each holds; keys with local operations or of transactions are left out, and such as
--   were destroyed where time was let pass
-- violation: two members do not hold the same; one holds what returned in its site before a clear was called
WITH hosts AS (
  SELECT run_id, example, site, member, region, coalesce(scope, '') = 'distributed_ack' AS acknowledged
  FROM ev
  WHERE kind = 'region_host' AND client IS NULL AND policy = 'replicate' AND coalesce(checks, true)
),
clears AS (
  SELECT c.run_id, c.example, c.site, c.region, max(c.seq) AS called_at
  FROM ev c
  JOIN ev a ON a.run_id = c.run_id AND a.example = c.example AND a.op_id = c.op_id AND a.kind = 'op_end' AND a.status = 'ok'
  WHERE c.kind = 'op_begin' AND c.op = 'clear' AND c.client IS NULL
  GROUP BY c.run_id, c.example, c.site, c.region
),
ended AS (
  SELECT run_id, example, site, op_id, min(seq) AS ended_at
  FROM ev
  WHERE kind = 'op_end'
  GROUP BY run_id, example, site, op_id
),
apart AS (
  SELECT DISTINCT run_id, example, region, key
  FROM ev
  WHERE kind = 'op_begin' AND (op IN ('local_destroy', 'local_invalidate') OR tx_id IS NOT NULL)
),
emptied AS (
  SELECT DISTINCT run_id, example, region
  FROM ev
  WHERE kind = 'op_begin' AND op IN ('local_clear', 'destroy_region', 'local_destroy_region', 'invalidate_region')
),
aged AS (
  SELECT DISTINCT d.run_id, d.example, d.region, d.key
  FROM ev d
  JOIN ev t ON t.run_id = d.run_id AND t.example = d.example AND t.kind = 'advance'
  WHERE d.kind = 'op_begin' AND d.op = 'destroy'
),
lost AS (
  SELECT DISTINCT run_id, example, site
  FROM ev
  WHERE kind IN ('crash', 'member_stop') OR (kind = 'region_close' AND question IS NULL)
),
held AS (
  SELECT f.run_id, f.example, f.site, f.member, f.region, f.key, f.seq, h.acknowledged, c.called_at, e.ended_at,
    f.state_after || coalesce(' ' || f.value, '') AS what
  FROM ev f
  JOIN hosts h ON h.run_id = f.run_id AND h.example = f.example AND h.site = f.site AND h.member = f.member
    AND h.region = f.region
  JOIN clears c ON c.run_id = f.run_id AND c.example = f.example AND c.site = f.site AND c.region = f.region
  LEFT JOIN ended e ON e.run_id = f.run_id AND e.example = f.example AND e.site = f.site AND e.op_id = f.op_id
  ANTI JOIN apart a ON a.run_id = f.run_id AND a.example = f.example AND a.region = f.region AND a.key = f.key
  ANTI JOIN emptied m ON m.run_id = f.run_id AND m.example = f.example AND m.region = f.region
  ANTI JOIN aged g ON g.run_id = f.run_id AND g.example = f.example AND g.region = f.region AND g.key = f.key
  ANTI JOIN parting r ON r.run_id = f.run_id AND r.example = f.example AND r.region = f.region AND r.key = f.key
  ANTI JOIN lost l ON l.run_id = f.run_id AND l.example = f.example AND l.site = f.site
  WHERE f.kind = 'final_value'
)
SELECT run_id, example, max(seq) AS seq, region || '/' || key AS subject,
  min(what || ' on ' || member) || ', ' || max(what || ' on ' || member) AS witness,
  min(what) <> max(what) AS violated
FROM held
GROUP BY run_id, example, site, region, key
HAVING count(DISTINCT member) > 1
UNION ALL
SELECT run_id, example, seq, region || '/' || key AS subject,
  member || ' holds ' || what || ' after a clear' AS witness,
  coalesce(ended_at < called_at, false) AS violated
FROM held
WHERE acknowledged
