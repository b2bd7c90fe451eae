-- part: Looks at a queue's copies: role and depth of one look, and the settle point since which nothing was
--   done, if any.
-- columns: run_id, example, seq, kind, site, member, queue, role, amount, question, op
-- needs:
steps AS (
  SELECT run_id, example, seq, kind, site, member, queue, role, amount, question, op,
    sum(CASE
      WHEN kind = 'op_begin' AND op NOT IN ('get', 'contains_key') THEN 1
      WHEN kind IN ('crash', 'member_start', 'member_stop', 'member_pause', 'member_resume', 'link', 'queue_pause',
        'queue_resume', 'queue_stop', 'queue_start', 'gate_arm', 'gate_release', 'redeliver', 'region_close') THEN 1
      ELSE 0
    END) OVER (
      PARTITION BY run_id, example ORDER BY seq NULLS LAST ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW
    ) AS stretch
  FROM ev
),
quiet AS (
  SELECT run_id, example, stretch, min(seq) AS quiet_from
  FROM steps
  WHERE kind = 'settle' AND amount = 0
  GROUP BY run_id, example, stretch
),
looks AS (
  SELECT d.run_id, d.example, d.seq, d.stretch, d.site, d.member, d.queue, d.amount, r.role, q.quiet_from
  FROM steps d
  LEFT JOIN steps r ON r.run_id = d.run_id AND r.example = d.example AND r.kind = 'role' AND r.member = d.member
    AND r.queue = d.queue AND r.question = d.question
  LEFT JOIN quiet q ON q.run_id = d.run_id AND q.example = d.example AND q.stretch = d.stretch AND q.quiet_from < d.seq
  WHERE d.kind = 'depth'
)
