-- part: Spans in which something is out of order: a link, a queue or receiver stopped or paused, a member
--   paused.
-- columns: run_id, example, seq, kind, site, peer, member, queue, status
-- needs: gone
switched AS (
  SELECT run_id, example, seq, site, peer, member, queue, status,
    CASE WHEN kind = 'link' THEN 'link' WHEN kind IN ('queue_pause', 'queue_resume') THEN 'pause'
      WHEN kind IN ('queue_stop', 'queue_start') THEN 'stop' ELSE 'member' END AS what,
    CASE WHEN kind = 'link' THEN coalesce(status, '') = 'up'
      ELSE kind IN ('queue_resume', 'queue_start', 'member_resume') END AS mended
  FROM ev
  WHERE kind IN ('link', 'queue_pause', 'queue_resume', 'queue_stop', 'queue_start', 'member_pause', 'member_resume')
),
followed AS (
  SELECT run_id, example, seq, site, peer, member, queue, status, what, mended,
    lead(seq) OVER (
      PARTITION BY run_id, example, what, site, peer, member, queue ORDER BY seq NULLS LAST
    ) AS next_at
  FROM switched
),
broken AS (
  SELECT f.run_id, f.example, f.site, f.peer, f.member, f.queue, f.status, f.what, f.seq AS broke_at,
    least(coalesce(f.next_at, 9223372036854775807), coalesce(g.gone_at, 9223372036854775807)) AS mended_at
  FROM followed f
  LEFT JOIN gone g ON g.run_id = f.run_id AND g.example = f.example AND g.member = f.member
  WHERE NOT f.mended
)
