-- requirement: WAN-OPS-06
-- view: black-box
-- empty-start: yes
-- only-with: queue_host
-- parts: feeds, kept, finals, gone
-- columns: run_id, example, seq, kind, site, member, region, key, op, op_id, event, status
-- opportunity: a local destroy that returned normally on a region that feeds another site, and that site
-- violation: a listener there was told of it; or, where the key was destroyed nowhere else, of some destroy
--   of it, or a member that was shown a value holds none at the quiet end
WITH called AS (
  SELECT e.run_id, e.example, e.seq, e.member, e.region, e.key, e.op_id, f.to_site
  FROM ev e
  JOIN feeds f ON f.run_id = e.run_id AND f.example = e.example AND f.region = e.region AND f.from_site = e.site
  SEMI JOIN kept k ON k.run_id = e.run_id AND k.example = e.example AND k.region = e.region
  WHERE e.kind = 'op_end' AND e.op = 'local_destroy' AND e.status = 'ok'
),
told AS (
  SELECT run_id, example, site, op_id, min(seq) AS seen_at, min('shown on ' || member) AS words
  FROM ev
  WHERE kind = 'listener' AND op = 'local_destroy'
  GROUP BY run_id, example, site, op_id
),
destroyed AS (
  SELECT DISTINCT run_id, example, region, key, site, op
  FROM ev
  WHERE kind = 'op_begin' AND op IN ('destroy', 'local_destroy')
),
loaded AS (
  SELECT DISTINCT run_id, example, member, region, key
  FROM ev
  WHERE kind = 'listener' AND event IN ('create', 'update')
),
vanished AS (
  SELECT h.run_id, h.example, h.site, h.region, h.key, h.seq, 'absent on ' || h.member AS words
  FROM finals h
  SEMI JOIN loaded l ON l.run_id = h.run_id AND l.example = h.example AND l.member = h.member
    AND l.region = h.region AND l.key = h.key
  ANTI JOIN gone g ON g.run_id = h.run_id AND g.example = h.example AND g.member = h.member
  WHERE h.what = 'absent'
  UNION ALL
  SELECT run_id, example, site, region, key, seq, 'destroy shown on ' || member AS words
  FROM ev
  WHERE kind = 'listener' AND event = 'destroy' AND op_id IS NULL
),
alone AS (
  SELECT v.run_id, v.example, v.site, v.region, v.key, min(v.seq) AS seen_at, min(v.words) AS words
  FROM vanished v
  ANTI JOIN destroyed d ON d.run_id = v.run_id AND d.example = v.example AND d.region = v.region AND d.key = v.key
    AND (d.op = 'destroy' OR d.site = v.site)
  GROUP BY v.run_id, v.example, v.site, v.region, v.key
)
SELECT c.run_id, c.example, coalesce(t.seen_at, a.seen_at, c.seq) AS seq, c.region || '/' || c.key AS subject,
  'local destroy on ' || c.member || ', at site ' || CAST(c.to_site AS STRING) || ': '
    || coalesce(t.words, a.words, 'nothing') AS witness,
  t.seen_at IS NOT NULL OR a.seen_at IS NOT NULL AS violated
FROM called c
LEFT JOIN told t ON t.run_id = c.run_id AND t.example = c.example AND t.op_id = c.op_id AND t.site = c.to_site
LEFT JOIN alone a ON a.run_id = c.run_id AND a.example = c.example AND a.region = c.region AND a.key = c.key
  AND a.site = c.to_site
