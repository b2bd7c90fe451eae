-- requirement: SER-PRIMARY-01
-- view: black-box
-- empty-start: no
-- only-with: queue_host
-- parts: unusual
-- columns: run_id, example, seq, kind, member, queue, role, parallel, client
-- opportunity: a look that found a member to be the primary of a queue that is not parallel
-- violation: another member was found to be so before, and has neither been found otherwise nor been stopped,
--   killed or given up its queue since
WITH serial AS (
  SELECT run_id, example, queue
  FROM ev
  WHERE kind = 'queue_host'
  GROUP BY run_id, example, queue
  HAVING NOT bool_or(coalesce(parallel, false))
),
turns AS (
  SELECT e.run_id, e.example, e.seq, e.member, e.queue, e.kind, e.role
  FROM ev e
  SEMI JOIN serial s ON s.run_id = e.run_id AND s.example = e.example AND s.queue = e.queue
  WHERE e.kind IN ('role', 'queue_stop')
  UNION ALL
  SELECT m.run_id, m.example, m.seq, m.member, s.queue, m.kind, m.role
  FROM ev m
  JOIN serial s ON s.run_id = m.run_id AND s.example = m.example
  WHERE m.kind IN ('crash', 'member_stop') AND m.client IS NULL
),
spans AS (
  SELECT run_id, example, seq, member, queue, kind, role,
    coalesce(lead(seq) OVER (PARTITION BY run_id, example, queue, member ORDER BY seq NULLS LAST),
      9223372036854775807) AS until_at
  FROM turns
)
SELECT one.run_id, one.example, one.seq, one.queue AS subject,
  one.member || ' is primary' || coalesce(', and so is ' || min(two.member), '') AS witness,
  count(two.member) > 0 AS violated
FROM spans one
LEFT JOIN spans two ON two.run_id = one.run_id AND two.example = one.example AND two.queue = one.queue
  AND two.member <> one.member AND two.kind = 'role' AND two.role = 'primary'
  AND two.seq < one.seq AND one.seq < two.until_at
ANTI JOIN unusual u ON u.run_id = one.run_id AND u.example = one.example
WHERE one.kind = 'role' AND one.role = 'primary'
GROUP BY one.run_id, one.example, one.seq, one.queue, one.member
