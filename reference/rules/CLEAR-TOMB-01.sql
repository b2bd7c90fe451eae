-- requirement: CLEAR-TOMB-01
-- view: black-box
-- empty-start: no
-- columns: run_id, example, seq, kind, site, member, region, op, event
-- opportunity: a clear of a region that the listener of a member shows; in an example in which no member was lost
-- violation: it shows more clears of the region than were called at its site
WITH cleared AS (
  SELECT run_id, example, site, region, count(*) AS calls
  FROM ev
  WHERE kind = 'op_begin' AND op IN ('clear', 'local_clear')
  GROUP BY run_id, example, site, region
),
lost AS (
  SELECT DISTINCT run_id, example
  FROM ev
  WHERE kind IN ('crash', 'member_stop')
),
shown AS (
  SELECT run_id, example, site, member, region, count(*) AS times, max(seq) AS seq
  FROM ev
  WHERE kind = 'listener' AND event = 'clear' AND member IS NOT NULL
  GROUP BY run_id, example, site, member, region
)
SELECT s.run_id, s.example, s.seq, s.region || ' on ' || s.member AS subject,
  CAST(s.times AS STRING) || ' clears shown, ' || CAST(coalesce(c.calls, 0) AS STRING) || ' called' AS witness,
  s.times > c.calls AS violated
FROM shown s
JOIN cleared c ON c.run_id = s.run_id AND c.example = s.example AND c.site = s.site AND c.region = s.region
ANTI JOIN lost l ON l.run_id = s.run_id AND l.example = s.example
