-- part: The regions of a durable client that has become ready, at rest behind that, and how often their listeners were
--   told in that life that they are live.
-- columns: run_id, example, seq, kind, client, region, policy, log_pos
-- needs: lives, served
marks AS (
  SELECT l.run_id, l.example, l.client, l.begun_at, l.left_at, l.ready_at, l.rest_at, h.region, count(v.seq) AS times,
    min(v.log_pos) AS first_pos, max(v.log_pos) AS last_pos, min(v.seq) AS first_at,
    l.client || ' is told ' || CAST(count(v.seq) AS STRING) || ' times in one life that ' || h.region || ' is live' AS witness
  FROM lives l
  JOIN ev h ON h.run_id = l.run_id AND h.example = l.example AND h.client = l.client AND h.kind = 'region_host'
    AND h.policy = 'normal'
  ANTI JOIN swept w ON w.run_id = l.run_id AND w.example = l.example AND w.region = h.region
  LEFT JOIN ev v ON v.run_id = l.run_id AND v.example = l.example AND v.client = l.client AND v.region = h.region
    AND v.kind = 'live' AND v.seq > l.begun_at AND v.seq < l.ended_at
  WHERE l.rest_at IS NOT NULL
  GROUP BY l.run_id, l.example, l.client, l.begun_at, l.left_at, l.ready_at, l.rest_at, h.region
)
