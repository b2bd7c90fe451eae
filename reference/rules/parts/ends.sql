-- part: Per key and receiving site what the last of its operations leaves, where all of them were due.
-- columns: run_id, example, region, key, op, op_id, token
-- needs: due, finals
counted AS (
  SELECT run_id, example, region, key, count(op_id) AS times, max(called_at) AS last_call
  FROM changes
  WHERE effect <> 'none'
  GROUP BY run_id, example, region, key
),
arrivals AS (
  SELECT run_id, example, region, key, to_site, count(DISTINCT op_id) AS times
  FROM due
  GROUP BY run_id, example, region, key, to_site
),
ends AS (
  SELECT DISTINCT d.run_id, d.example, d.region, d.key, d.op, d.op_id, d.to_site, d.rest_at, d.shown_at,
    CASE d.op WHEN 'destroy' THEN 'absent' ELSE 'valid ' || d.token END AS what
  FROM due d
  JOIN counted c ON c.run_id = d.run_id AND c.example = d.example AND c.region = d.region AND c.key = d.key
    AND c.last_call = d.called_at
  JOIN arrivals a ON a.run_id = d.run_id AND a.example = d.example AND a.region = d.region AND a.key = d.key
    AND a.to_site = d.to_site AND a.times = c.times
)
