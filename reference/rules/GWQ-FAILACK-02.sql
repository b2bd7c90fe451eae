-- requirement: GWQ-FAILACK-02
-- view: black-box
-- empty-start: no
-- only-with: inject
-- parts: fed, refusals, broken
-- columns: run_id, example, seq, kind, site, member, region, key, op, op_id, token, amount, seen_after
-- opportunity: a put or create that the cache writers of all members of the other of two sites refused until all had
--   come to rest, and accepted later, of a sender that removes what failed; nothing in the example has made it send
--   again
-- violation: a listener there receives it behind that rest
WITH failed AS (
  SELECT d.run_id, d.example, d.op_id, d.op, d.token, d.region, d.key, d.member, d.to_site, s.seq AS rest_at
  FROM fed_at_all d
  JOIN ev s ON s.run_id = d.run_id AND s.example = d.example AND s.kind = 'settle' AND s.amount = 0 AND s.seq > d.returned_at
  JOIN refusals r ON r.run_id = d.run_id AND r.example = d.example AND r.site = d.to_site AND r.region = d.region
    AND r.key = d.key AND r.from_at < d.called_at AND s.seq < r.until_at AND r.until_at < 9223372036854775807
  JOIN site_sizes z ON z.run_id = d.run_id AND z.example = d.example AND z.site = d.to_site
  SEMI JOIN two_sites w ON w.run_id = d.run_id AND w.example = d.example
  ANTI JOIN keeping k ON k.run_id = d.run_id AND k.example = d.example AND k.queue = d.queue
  ANTI JOIN gone g ON g.run_id = d.run_id AND g.example = d.example
  ANTI JOIN ev x ON x.run_id = d.run_id AND x.example = d.example AND x.kind IN ('member_pause', 'queue_stop', 'redeliver', 'link')
  ANTI JOIN broken b ON b.run_id = s.run_id AND b.example = s.example AND b.broke_at < s.seq AND s.seq < b.mended_at
  WHERE d.op <> 'destroy'
  GROUP BY d.run_id, d.example, d.op_id, d.op, d.token, d.region, d.key, d.member, d.to_site, s.seq
  HAVING count(DISTINCT r.member) = max(z.many)
),
later AS (
  SELECT f.run_id, f.example, f.op_id, min(f.rest_at) AS rest_at, min(t.seq) AS shown_at
  FROM failed f
  LEFT JOIN ev t ON t.run_id = f.run_id AND t.example = f.example AND t.kind = 'listener' AND t.op_id = f.op_id
    AND t.site = f.to_site AND t.seen_after >= f.rest_at
  GROUP BY f.run_id, f.example, f.op_id
)
SELECT DISTINCT f.run_id, f.example, coalesce(l.shown_at, l.rest_at) AS seq, f.region || '/' || f.key AS subject,
  f.op || ' ' || f.token || ' on ' || f.member || ', refused at site ' || CAST(f.to_site AS STRING)
    || CASE WHEN l.shown_at IS NULL THEN '' ELSE ', shown there later' END AS witness,
  l.shown_at IS NOT NULL AS violated
FROM failed f
JOIN later l ON l.run_id = f.run_id AND l.example = f.example AND l.op_id = f.op_id
