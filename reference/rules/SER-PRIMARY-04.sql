-- requirement: SER-PRIMARY-04
-- view: black-box
-- empty-start: no
-- only-with: queue_host
-- parts: unusual, broken
-- columns: run_id, example, seq, kind, site, member, queue, role, parallel, amount, client
-- opportunity: a primary of a serial queue, found so, that was then killed or closed, with nothing stopped in
--   the example; all then settled, and every member of its site left was looked at before another was lost
-- violation: none of them was found to be primary
WITH serial AS (
  SELECT DISTINCT run_id, example, site, queue, member
  FROM ev
  WHERE kind = 'queue_host' AND NOT coalesce(parallel, false)
),
stopped AS (
  SELECT DISTINCT run_id, example
  FROM broken
  WHERE what IN ('stop', 'member')
),
roles AS (
  SELECT e.run_id, e.example, e.seq, s.site, e.member, e.queue, e.role,
    coalesce(lead(e.seq) OVER (PARTITION BY e.run_id, e.example, e.queue, e.member ORDER BY e.seq NULLS LAST),
      9223372036854775807) AS until_at
  FROM ev e
  JOIN serial s ON s.run_id = e.run_id AND s.example = e.example AND s.queue = e.queue AND s.member = e.member
  WHERE e.kind = 'role'
),
losses AS (
  SELECT g.run_id, g.example, g.site, g.member, g.gone_at, p.queue,
    coalesce(lead(g.gone_at) OVER (PARTITION BY g.run_id, g.example, g.site, p.queue ORDER BY g.gone_at NULLS LAST),
      9223372036854775807) AS next_loss,
    max(CASE WHEN p.role = 'primary' THEN 1 ELSE 0 END) AS was_primary
  FROM gone g
  JOIN roles p ON p.run_id = g.run_id AND p.example = g.example AND p.member = g.member
    AND p.seq < g.gone_at AND g.gone_at < p.until_at
  GROUP BY g.run_id, g.example, g.site, g.member, g.gone_at, p.queue
),
calm_from AS (
  SELECT l.run_id, l.example, l.queue, l.gone_at, min(s.seq) AS settled_at
  FROM losses l
  JOIN ev s ON s.run_id = l.run_id AND s.example = l.example AND s.kind = 'settle' AND s.amount = 0
    AND l.gone_at < s.seq AND s.seq < l.next_loss
  GROUP BY l.run_id, l.example, l.queue, l.gone_at
),
left_over AS (
  SELECT l.run_id, l.example, l.queue, l.gone_at, s.member,
    count(r.seq) AS looked, count(CASE WHEN r.role = 'primary' THEN 1 END) AS leading, max(r.seq) AS seq
  FROM losses l
  JOIN calm_from c ON c.run_id = l.run_id AND c.example = l.example AND c.queue = l.queue AND c.gone_at = l.gone_at
  JOIN serial s ON s.run_id = l.run_id AND s.example = l.example AND s.queue = l.queue
  ANTI JOIN gone g ON g.run_id = s.run_id AND g.example = s.example AND g.member = s.member AND g.gone_at <= l.gone_at
  LEFT JOIN roles r ON r.run_id = s.run_id AND r.example = s.example AND r.queue = s.queue AND r.member = s.member
    AND c.settled_at < r.seq AND r.seq < l.next_loss
  WHERE l.was_primary = 1
  GROUP BY l.run_id, l.example, l.queue, l.gone_at, s.member
)
SELECT f.run_id, f.example, max(f.seq) AS seq, f.queue AS subject,
  CAST(sum(CASE WHEN f.leading > 0 THEN 1 ELSE 0 END) AS STRING) || ' of ' || CAST(count(f.member) AS STRING)
    || ' members left found to be primary after the loss' AS witness,
  max(f.leading) = 0 AS violated
FROM left_over f
ANTI JOIN stopped p ON p.run_id = f.run_id AND p.example = f.example
ANTI JOIN unusual u ON u.run_id = f.run_id AND u.example = f.example
GROUP BY f.run_id, f.example, f.queue, f.gone_at
HAVING min(f.looked) > 0
