-- requirement: GWQ-FAILACK-05
-- view: black-box
-- empty-start: yes
-- only-with: inject
-- parts: looks, feeds, refusals, broken
-- columns: run_id, example, seq, kind, site, member, queue, role, amount
-- opportunity: a look at the primary's copy of a gateway sender's queue, all having come to rest, where cache writers
--   have refused keys of the other site; of a sender that keeps what failed, once they refuse nothing; nothing is out
--   of order and no member was lost
-- violation: it still holds events
WITH senders AS (
  SELECT DISTINCT run_id, example, queue, to_site
  FROM feeds
),
rested AS (
  SELECT l.run_id, l.example, l.seq, max(z.seq) AS rest_at
  FROM looks l
  JOIN ev z ON z.run_id = l.run_id AND z.example = l.example AND z.kind = 'settle' AND z.amount = 0
    AND l.quiet_from <= z.seq AND z.seq < l.seq
  GROUP BY l.run_id, l.example, l.seq
)
SELECT l.run_id, l.example, l.seq, l.queue || ' on ' || l.member AS subject,
  'holds ' || CAST(l.amount AS STRING) || ' at rest' AS witness, l.amount > 0 AS violated
FROM looks l
JOIN rested z ON z.run_id = l.run_id AND z.example = l.example AND z.seq = l.seq
JOIN senders s ON s.run_id = l.run_id AND s.example = l.example AND s.queue = l.queue
LEFT JOIN keeping k ON k.run_id = l.run_id AND k.example = l.example AND k.queue = l.queue
SEMI JOIN refusals r ON r.run_id = l.run_id AND r.example = l.example AND r.site = s.to_site AND r.from_at < l.seq
ANTI JOIN refusals f ON f.run_id = l.run_id AND f.example = l.example AND f.site = s.to_site AND f.from_at < l.seq
  AND l.seq < f.until_at AND k.queue IS NOT NULL
ANTI JOIN ev i ON i.run_id = l.run_id AND i.example = l.example AND i.kind = 'inject' AND z.rest_at < i.seq AND i.seq < l.seq
ANTI JOIN broken b ON b.run_id = l.run_id AND b.example = l.example AND b.broke_at < l.seq AND l.seq < b.mended_at
ANTI JOIN gone g ON g.run_id = l.run_id AND g.example = l.example
WHERE l.role = 'primary' AND l.quiet_from IS NOT NULL
