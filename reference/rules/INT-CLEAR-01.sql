-- requirement: INT-CLEAR-01
-- view: black-box
-- empty-start: yes
-- only-with: client_start
-- parts: registered
-- columns: seen_before
-- opportunity: behind a registration for keys: one of them that the client's server lacks or that is not
--   loaded, and what the client holds of it at rest; another key that the client was seen to hold before,
--   with nothing called on it since
-- violation: the client has the key; it holds the other one no longer as before
WITH seen_before AS (
  SELECT g.run_id, g.example, g.seq, g.client, g.region, g.key, max(s.seq) AS seen_at
  FROM registered g
  JOIN sights s ON s.run_id = g.run_id AND s.example = g.example AND s.client = g.client AND s.region = g.region
    AND s.key = g.key AND s.seq < g.registered_at
  WHERE NOT g.is_covered AND g.by_what IN ('key', 'list')
  GROUP BY g.run_id, g.example, g.seq, g.client, g.region, g.key
),
left_alone AS (
  SELECT b.run_id, b.example, b.seq, b.seen_at
  FROM seen_before b
  ANTI JOIN ev o ON o.run_id = b.run_id AND o.example = b.example AND o.region = b.region AND o.key = b.key
    AND o.kind = 'op_begin' AND b.seen_at < o.seq AND o.seq < b.seq
  ANTI JOIN ev l ON l.run_id = b.run_id AND l.example = b.example AND l.client = b.client AND l.region = b.region
    AND l.key = b.key AND l.kind = 'ri_key' AND b.seen_at < l.seq AND l.seq < b.seq
  ANTI JOIN ev x ON x.run_id = b.run_id AND x.example = b.example AND x.client = b.client AND x.region = b.region
    AND x.kind = 'ri_begin' AND x.interest_kind NOT IN ('key', 'list') AND b.seen_at < x.seq AND x.seq < b.seq
)
SELECT g.run_id, g.example, g.seq, g.region || '/' || g.key AS subject, g.witness, g.state <> 'absent' AS violated
FROM registered g
WHERE g.is_covered AND g.by_what IN ('key', 'list') AND (g.loads = 'none' OR g.there = 'absent')
UNION ALL
SELECT g.run_id, g.example, g.seq, g.region || '/' || g.key AS subject,
  g.witness || '; it held ' || s.what || ' before' AS witness, g.what <> s.what AS violated
FROM registered g
JOIN left_alone a ON a.run_id = g.run_id AND a.example = g.example AND a.seq = g.seq
JOIN sights s ON s.run_id = g.run_id AND s.example = g.example AND s.seq = a.seen_at
