-- part: Clients all of whose servers were killed or closed, since when, and until the first of them was started again; in
--   examples without gates.
-- columns: run_id, example, seq, kind, member, client, server
-- needs: gone
restarts AS (
  SELECT e.run_id, e.example, m.client, e.seq AS started_at
  FROM ev e
  JOIN gone g ON g.run_id = e.run_id AND g.example = e.example AND g.member = e.member AND g.gone_at < e.seq
  JOIN ev m ON m.run_id = e.run_id AND m.example = e.example AND m.kind = 'may_serve' AND m.server = e.member
  WHERE e.kind = 'member_start'
),
lonely AS (
  SELECT m.run_id, m.example, m.client, max(coalesce(g.gone_at, 9223372036854775807)) AS since
  FROM ev m
  LEFT JOIN gone g ON g.run_id = m.run_id AND g.example = m.example AND g.member = m.server
  ANTI JOIN ev a ON a.run_id = m.run_id AND a.example = m.example AND a.kind = 'gate_arm'
  WHERE m.kind = 'may_serve'
  GROUP BY m.run_id, m.example, m.client
),
stranded AS (
  SELECT n.run_id, n.example, n.client, n.since, coalesce(min(r.started_at), 9223372036854775807) AS found_at
  FROM lonely n
  LEFT JOIN restarts r ON r.run_id = n.run_id AND r.example = n.example AND r.client = n.client
  WHERE n.since < 9223372036854775807
  GROUP BY n.run_id, n.example, n.client, n.since
  HAVING coalesce(min(r.started_at), 9223372036854775807) > n.since
)
