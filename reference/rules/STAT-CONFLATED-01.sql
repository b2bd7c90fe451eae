-- requirement: STAT-CONFLATED-01
-- view: black-box
-- empty-start: no
-- only-with: stat
-- parts: orderly
-- columns: run_id, example, seq, kind, member, region, key, op, op_id, name, amount, question
-- opportunity: conflatedEvents of a member, asked for at rest, where no two calls that change a key overlap; or where the
--   member's listener was never told of a put of another member that had its effect, which it must have discarded then
-- violation: it has moved; it has not moved
WITH watched AS (
  SELECT DISTINCT run_id, example, member
  FROM ev
  WHERE kind = 'observed'
),
told AS (
  SELECT DISTINCT run_id, example, member, op_id
  FROM ev
  WHERE kind = 'listener' AND op_id IS NOT NULL
),
discarded AS (
  SELECT o.run_id, o.example, o.member, o.question, count(*) AS puts
  FROM orderly o
  JOIN changes c ON c.run_id = o.run_id AND c.example = o.example AND c.over_at < o.asked_at AND c.member <> o.member
  SEMI JOIN watched w ON w.run_id = o.run_id AND w.example = o.example AND w.member = o.member
  ANTI JOIN told t ON t.run_id = o.run_id AND t.example = o.example AND t.member = o.member AND t.op_id = c.op_id
  WHERE o.overlaps AND c.op = 'put' AND c.effect = 'sure'
  GROUP BY o.run_id, o.example, o.member, o.question
)
SELECT s.run_id, s.example, s.seq, s.member AS subject,
  'conflatedEvents of ' || s.member || ' moved by ' || CAST(s.amount AS STRING)
    || CASE WHEN d.puts IS NULL THEN ' where no update met another'
      ELSE ', puts it must have discarded: ' || CAST(d.puts AS STRING) END AS witness,
  CASE WHEN d.puts IS NULL THEN s.amount <> 0 ELSE s.amount = 0 END AS violated
FROM ev s
JOIN orderly o ON o.run_id = s.run_id AND o.example = s.example AND o.member = s.member AND o.question = s.question
LEFT JOIN discarded d ON d.run_id = s.run_id AND d.example = s.example AND d.member = s.member AND d.question = s.question
WHERE s.kind = 'stat' AND s.name = 'conflatedEvents' AND (d.puts IS NOT NULL OR NOT o.overlaps)
