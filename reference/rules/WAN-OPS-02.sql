-- requirement: WAN-OPS-02
-- view: black-box
-- empty-start: yes
-- only-with: queue_host
-- parts: ends, troubled
-- columns: run_id, example, seq, member, region, key, op
-- opportunity: a put that had to reach another site, in an example without faults; and what a member there
--   holds at the quiet end of a key that only one site changes, a put being the last change, none overlapping
--   another
-- violation: it was never shown there; the member holds something else than it left
SELECT d.run_id, d.example, coalesce(d.shown_at, d.rest_at) AS seq, d.region || '/' || d.key AS subject,
  d.op || ' ' || coalesce(d.token, '') || ' on ' || d.member
    || CASE WHEN d.shown_at IS NULL THEN ' never' ELSE '' END || ' shown at site ' || CAST(d.to_site AS STRING) AS witness,
  d.shown_at IS NULL AS violated
FROM due d
ANTI JOIN troubled t ON t.run_id = d.run_id AND t.example = d.example
WHERE d.op = 'put'
UNION ALL
SELECT h.run_id, h.example, h.seq, h.region || '/' || h.key AS subject,
  h.member || ' holds ' || h.what || ', the last put left ' || e.what AS witness, h.what <> e.what AS violated
FROM finals h
JOIN ends e ON e.run_id = h.run_id AND e.example = h.example AND e.region = h.region AND e.key = h.key
  AND e.to_site = h.site AND e.rest_at < h.seq
ANTI JOIN troubled t ON t.run_id = h.run_id AND t.example = h.example
WHERE e.op = 'put'
