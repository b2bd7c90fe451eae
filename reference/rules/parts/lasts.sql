-- part: What members hold at the quiet end of a key of which the caller of one change has shown all others before it, so that
--   it has the largest version; whether the last one before it was a destroy; and where the member shows it and the others. In
--   the same examples as `ties`.
-- columns: run_id, example, seq, kind, member, region, key, state_after, value
-- needs: ties
newest AS (
  SELECT b.run_id, b.example, b.region, b.key, b.op, b.op_id, b.member, b.leaves,
    coalesce(max(CASE WHEN o.op = 'destroy' THEN t.pos END) = max(t.pos), false) AS behind_destroy
  FROM rivals b
  JOIN showings w ON w.run_id = b.run_id AND w.example = b.example AND w.op_id = b.op_id AND w.member = b.member
  JOIN rivals o ON o.run_id = b.run_id AND o.example = b.example AND o.region = b.region AND o.key = b.key AND o.op_id <> b.op_id
  LEFT JOIN showings t ON t.run_id = o.run_id AND t.example = o.example AND t.op_id = o.op_id AND t.member = b.member
  WHERE b.effect = 'sure' AND b.op IN ('put', 'create', 'destroy')
  GROUP BY b.run_id, b.example, b.region, b.key, b.op, b.op_id, b.member, b.leaves
  HAVING count(CASE WHEN t.pos < w.pos THEN 1 END) = count(o.op_id)
),
shown_of AS (
  SELECT b.run_id, b.example, b.op_id, t.member, count(t.op_id) AS times, min(t.pos) AS first_pos, max(t.pos) AS last_pos
  FROM newest b
  JOIN rivals o ON o.run_id = b.run_id AND o.example = b.example AND o.region = b.region AND o.key = b.key AND o.op_id <> b.op_id
  JOIN showings t ON t.run_id = o.run_id AND t.example = o.example AND t.op_id = o.op_id
  GROUP BY b.run_id, b.example, b.op_id, t.member
),
lasts AS (
  SELECT b.run_id, b.example, f.seq, b.region || '/' || b.key AS subject, b.op, b.behind_destroy, f.member = b.member AS own,
    f.state_after || coalesce(' ' || f.value, '') AS what, b.leaves AS ought, w.pos IS NOT NULL AS shown,
    coalesce(o.times, 0) AS others, coalesce(o.first_pos < w.pos, false) AS others_before,
    coalesce(o.last_pos > w.pos, false) AS others_behind,
    f.member || ' holds ' || f.state_after || coalesce(' ' || f.value, '') || '; the last change, operation ' || CAST(b.op_id AS STRING)
      || ' on ' || b.member || ', leaves ' || b.leaves || CASE WHEN w.pos IS NULL THEN ' and is not shown'
        WHEN o.last_pos > w.pos THEN ' and is shown before another' ELSE ' and is shown last' END AS witness
  FROM newest b
  JOIN ev f ON f.run_id = b.run_id AND f.example = b.example AND f.region = b.region AND f.key = b.key
    AND f.kind = 'final_value' AND f.member IS NOT NULL
  SEMI JOIN ev h ON h.run_id = f.run_id AND h.example = f.example AND h.member = f.member AND h.kind = 'observed'
  LEFT JOIN showings w ON w.run_id = b.run_id AND w.example = b.example AND w.op_id = b.op_id AND w.member = f.member
  LEFT JOIN shown_of o ON o.run_id = b.run_id AND o.example = b.example AND o.op_id = b.op_id AND o.member = f.member
)
