-- requirement: DUR-MARKER-04
-- view: black-box
-- empty-start: no
-- only-with: ready
-- parts: lives, gone
-- columns: seq, kind, client, region, policy, server, amount
-- opportunity: a region of a durable client that is ready; servers that it names have died since it began this
--   life, another lives, and all rests behind that
-- violation: its listener is not told once that the region is live
WITH failing AS (
  SELECT l.run_id, l.example, l.client, l.begun_at, l.ready_at, l.ended_at, max(g.gone_at) AS last_at
  FROM all_lives l
  JOIN gone g ON g.run_id = l.run_id AND g.example = l.example AND g.gone_at > l.begun_at AND g.gone_at < l.ended_at
  SEMI JOIN ev m ON m.run_id = l.run_id AND m.example = l.example AND m.client = l.client AND m.kind = 'may_serve'
    AND m.server = g.member
  GROUP BY l.run_id, l.example, l.client, l.begun_at, l.ready_at, l.ended_at
),
found AS (
  SELECT f.run_id, f.example, f.client, f.begun_at, f.ended_at, min(s.seq) AS rest_at
  FROM failing f
  JOIN open_rests s ON s.run_id = f.run_id AND s.example = f.example AND s.seq > f.last_at AND s.seq > f.ready_at
    AND s.seq < f.ended_at
  JOIN ev m ON m.run_id = f.run_id AND m.example = f.example AND m.client = f.client AND m.kind = 'may_serve'
  ANTI JOIN gone g ON g.run_id = f.run_id AND g.example = f.example AND g.member = m.server
  GROUP BY f.run_id, f.example, f.client, f.begun_at, f.ended_at
)
SELECT f.run_id, f.example, f.rest_at AS seq, h.region AS subject,
  f.client || ' is told ' || CAST(count(v.seq) AS STRING) || ' times that ' || h.region || ' is live, behind a failover' AS witness,
  count(v.seq) <> 1 AS violated
FROM found f
JOIN ev h ON h.run_id = f.run_id AND h.example = f.example AND h.client = f.client AND h.kind = 'region_host'
  AND h.policy = 'normal'
LEFT JOIN ev v ON v.run_id = f.run_id AND v.example = f.example AND v.client = f.client AND v.region = h.region
  AND v.kind = 'live' AND v.seq > f.begun_at AND v.seq < f.ended_at
GROUP BY f.run_id, f.example, f.client, f.rest_at, h.region
