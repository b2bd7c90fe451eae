-- part: Sites of two all of whose members were dead at one time, and then were all started again; and puts and
--   creates of theirs that had returned before the first death, with the gateway sender's queue, whether it is on
--   disk, when the other site first shows each, and whether nothing could reach that site from before the call until
--   behind the starts.
-- columns: run_id, example, seq, kind, site, member, region, key, op, op_id, thread, queue, queue_type, persistent,
--   parallel
-- needs: fed, broken, rest, refusals, due
dead_sites AS (
  SELECT d.run_id, d.example, d.site, min(d.gone_at) AS first_at, max(d.gone_at) AS last_at
  FROM gone d
  JOIN site_sizes z ON z.run_id = d.run_id AND z.example = d.example AND z.site = d.site
  SEMI JOIN two_sites w ON w.run_id = d.run_id AND w.example = d.example
  GROUP BY d.run_id, d.example, d.site
  HAVING count(DISTINCT d.member) = max(z.many)
),
reborn_sites AS (
  SELECT d.run_id, d.example, d.site, d.first_at, d.last_at, min(s.seq) AS started_at, max(s.seq) AS all_started_at
  FROM dead_sites d
  JOIN ev s ON s.run_id = d.run_id AND s.example = d.example AND s.site = d.site AND s.kind = 'member_start' AND s.seq > d.first_at
  JOIN site_sizes z ON z.run_id = d.run_id AND z.example = d.example AND z.site = d.site
  ANTI JOIN ev x ON x.run_id = d.run_id AND x.example = d.example AND x.site = d.site AND x.kind IN ('crash', 'member_stop')
    AND x.seq > d.last_at
  GROUP BY d.run_id, d.example, d.site, d.first_at, d.last_at
  HAVING count(DISTINCT s.member) = max(z.many) AND min(s.seq) > max(d.last_at)
),
disk_queues AS (
  SELECT run_id, example, queue, bool_and(coalesce(persistent, false)) AS on_disk, bool_or(coalesce(persistent, false)) AS partly
  FROM ev
  WHERE kind = 'queue_host' AND queue_type = 'wan' AND NOT coalesce(parallel, false)
  GROUP BY run_id, example, queue
),
stopped_sites AS (
  SELECT b.run_id, b.example, b.site, max(b.broke_at) AS from_at, min(b.mended_at) AS until_at
  FROM broken b
  JOIN site_sizes z ON z.run_id = b.run_id AND z.example = b.example AND z.site = b.site
  WHERE b.what = 'stop' AND b.queue = 'receiver'
  GROUP BY b.run_id, b.example, b.site
  HAVING count(*) = max(z.many) AND count(DISTINCT b.member) = max(z.many)
),
shut AS (
  SELECT run_id, example, site AS to_site, from_at, until_at
  FROM stopped_sites
  UNION ALL
  SELECT run_id, example, try_cast(peer AS BIGINT) AS to_site, broke_at AS from_at, mended_at AS until_at
  FROM broken
  WHERE what = 'link' AND status = 'down'
),
reborn AS (
  SELECT DISTINCT d.run_id, d.example, d.op_id, d.op, d.token, d.region, d.key, d.member, d.site, d.to_site, d.called_at, d.returned_at,
    d.queue, q.on_disk, q.partly, s.started_at, r.rest_at, n.shown_at, x.to_site IS NOT NULL AS held_up,
    d.op || ' ' || d.token || ' on ' || d.member || CASE WHEN n.shown_at IS NULL THEN ', never' ELSE ',' END || ' shown at site '
      || CAST(d.to_site AS STRING) || '; all members of its own died and run again' AS witness
  FROM fed d
  JOIN disk_queues q ON q.run_id = d.run_id AND q.example = d.example AND q.queue = d.queue
  JOIN reborn_sites s ON s.run_id = d.run_id AND s.example = d.example AND s.site = d.site AND d.returned_at < s.first_at
  JOIN rest r ON r.run_id = d.run_id AND r.example = d.example AND s.all_started_at < r.rest_at
  SEMI JOIN observers o ON o.run_id = d.run_id AND o.example = d.example AND o.site = d.to_site
  ANTI JOIN gone g ON g.run_id = d.run_id AND g.example = d.example AND g.site = d.to_site
  LEFT JOIN named n ON n.run_id = d.run_id AND n.example = d.example AND n.op_id = d.op_id AND n.site = d.to_site
  LEFT JOIN shut x ON x.run_id = d.run_id AND x.example = d.example AND x.to_site = d.to_site AND x.from_at < d.called_at
    AND s.started_at < x.until_at
  WHERE d.op <> 'destroy'
)
