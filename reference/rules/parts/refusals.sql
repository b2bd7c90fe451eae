-- part: Spans in which the cache writer of a member refuses a key; gateway senders that keep events that failed; and
--   in which examples there are two sites.
-- columns: run_id, example, seq, kind, site, member, region, key, queue, name, value
-- needs:
writer_scripts AS (
  SELECT run_id, example, seq, site, member, region,
    lead(seq) OVER (PARTITION BY run_id, example, member, region ORDER BY seq NULLS LAST) AS next_at
  FROM ev
  WHERE kind = 'inject' AND name = 'writer' AND key IS NULL
),
refusals AS (
  SELECT k.run_id, k.example, s.site, s.member, s.region, k.key, s.seq AS from_at,
    coalesce(s.next_at, 9223372036854775807) AS until_at
  FROM writer_scripts s
  JOIN ev k ON k.run_id = s.run_id AND k.example = s.example AND k.member = s.member AND k.region = s.region
    AND k.kind = 'inject' AND k.name = 'writer' AND k.key IS NOT NULL AND k.seq > s.seq
    AND k.seq < coalesce(s.next_at, 9223372036854775807)
),
keeping AS (
  SELECT DISTINCT run_id, example, queue
  FROM ev
  WHERE kind = 'config' AND name = 'remove-from-queue-on-exception' AND value = 'false'
),
site_sizes AS (
  SELECT run_id, example, site, count(DISTINCT member) AS many
  FROM ev
  WHERE kind = 'member_start'
  GROUP BY run_id, example, site
),
two_sites AS (
  SELECT run_id, example
  FROM site_sizes
  GROUP BY run_id, example
  HAVING count(site) = 2
)
