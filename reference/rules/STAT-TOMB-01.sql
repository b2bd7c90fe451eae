-- requirement: STAT-TOMB-01
-- view: black-box
-- empty-start: yes
-- only-with: stat
-- parts: orderly
-- columns: run_id, example, seq, kind, member, name, amount, question
-- opportunity: tombstoneCount of a member, asked for at rest, where keys were changed one call after the other, with a
--   known effect each, and no time was let pass
-- violation: it has not moved by the number of keys whose last change is a destroy
WITH so_far AS (
  SELECT o.run_id, o.example, o.member, o.question, c.region, c.key, c.op, c.effect,
    row_number() OVER (
      PARTITION BY o.run_id, o.example, o.member, o.question, c.region, c.key ORDER BY c.called_at DESC NULLS LAST
    ) AS from_last
  FROM orderly o
  JOIN changes c ON c.run_id = o.run_id AND c.example = o.example AND c.called_at < o.asked_at
  WHERE c.effect <> 'none' AND NOT o.overlaps
),
expected AS (
  SELECT o.run_id, o.example, o.member, o.question,
    coalesce(max(CASE WHEN f.effect = 'unsure' THEN 1 ELSE 0 END), 0) AS unsure,
    count(CASE WHEN f.from_last = 1 AND f.op = 'destroy' THEN 1 END) AS tombstones
  FROM orderly o
  LEFT JOIN so_far f ON f.run_id = o.run_id AND f.example = o.example AND f.member = o.member AND f.question = o.question
  WHERE NOT o.overlaps
  GROUP BY o.run_id, o.example, o.member, o.question
)
SELECT s.run_id, s.example, s.seq, s.member AS subject,
  'tombstoneCount of ' || s.member || ' moved by ' || CAST(s.amount AS STRING) || ', keys destroyed: '
    || CAST(x.tombstones AS STRING) AS witness,
  s.amount <> x.tombstones AS violated
FROM ev s
JOIN expected x ON x.run_id = s.run_id AND x.example = s.example AND x.member = s.member AND x.question = s.question
  AND x.unsure = 0
WHERE s.kind = 'stat' AND s.name = 'tombstoneCount'
