-- requirement: RCV-DEDUP-01
-- view: black-box
-- empty-start: yes
-- only-with: queue_host
-- parts: ends, troubled
-- columns: run_id, example, seq, member, region, key
-- opportunity: what a member holds at the quiet end of a key that only another site changes, in an example in
--   which events may have been sent again, and the last change was shown at the member's site; none
--   overlapped another
-- violation: it is not what that change left
SELECT h.run_id, h.example, h.seq, h.region || '/' || h.key AS subject,
  h.member || ' holds ' || h.what || ', the last change left ' || e.what AS witness, h.what <> e.what AS violated
FROM finals h
JOIN ends e ON e.run_id = h.run_id AND e.example = h.example AND e.region = h.region AND e.key = h.key
  AND e.to_site = h.site AND e.rest_at < h.seq
SEMI JOIN troubled t ON t.run_id = h.run_id AND t.example = h.example
ANTI JOIN gone g ON g.run_id = h.run_id AND g.example = h.example AND g.member = h.member
WHERE e.shown_at IS NOT NULL
