-- part: Clients that are not durable, recruit no spare server and do not conflate, and when they lost their first server, all that keep their queue, and all that they name.
-- columns: run_id, example, seq, kind, member, client, server, amount, order_strength, checks, durable_id, conflates
-- needs: gone
choices AS (
  SELECT m.run_id, m.example, m.client, m.server, m.amount AS place, coalesce(g.gone_at, 9223372036854775807) AS gone_at
  FROM ev m
  LEFT JOIN gone g ON g.run_id = m.run_id AND g.example = m.example AND g.member = m.server
  WHERE m.kind = 'may_serve'
),
lasting AS (
  SELECT s.run_id, s.example, s.client
  FROM ev s
  LEFT JOIN choices n ON n.run_id = s.run_id AND n.example = s.example AND n.client = s.client
    AND n.place > s.amount AND s.amount > 0
  WHERE s.kind = 'client_start' AND (s.durable_id IS NOT NULL OR n.client IS NOT NULL OR coalesce(s.conflates, false))
  GROUP BY s.run_id, s.example, s.client
),
clientele AS (
  SELECT c.run_id, c.example, c.client, c.order_strength AS log_order, coalesce(c.checks, true) AS checked,
    coalesce(c.amount, 0) AS spares,
    min(CASE WHEN n.place = 0 THEN n.server END) AS first_server,
    min(CASE WHEN n.place = 0 THEN n.gone_at END) AS first_lost_at,
    max(CASE WHEN n.place <= coalesce(c.amount, 0) THEN n.gone_at END) AS line_lost_at,
    max(n.gone_at) AS all_lost_at
  FROM ev c
  JOIN choices n ON n.run_id = c.run_id AND n.example = c.example AND n.client = c.client
  ANTI JOIN lasting d ON d.run_id = c.run_id AND d.example = c.example AND d.client = c.client
  WHERE c.kind = 'client_start'
  GROUP BY c.run_id, c.example, c.client, c.order_strength, c.checks, c.amount
)
