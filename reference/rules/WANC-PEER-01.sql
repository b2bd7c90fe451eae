-- requirement: WANC-PEER-01
-- view: black-box
-- empty-start: no
-- parts: kept, meddled, gone, parting
-- columns: run_id, example, seq, kind, site, member, client, region, key, op, origin_site, state_after, value
-- opportunity: a key of which an event of another site was shown, read at the quiet end on two or more
--   members of the receiving site; checks on, none of them lost, nothing local called on it, and not written at
--   several sites and by several members of one, or more than once at one where events may have been sent again
-- violation: two of them do not hold the same
WITH received AS (
  SELECT DISTINCT run_id, example, site, region, key
  FROM ev
  WHERE kind = 'listener' AND origin_site <> site
),
held AS (
  SELECT run_id, example, site, member, region, key, seq, state_after || coalesce(' ' || value, '') AS what
  FROM ev
  WHERE kind = 'final_value'
)
SELECT h.run_id, h.example, max(h.seq) AS seq, h.region || '/' || h.key AS subject,
  min(h.what || ' on ' || h.member) || ', ' || max(h.what || ' on ' || h.member) AS witness,
  min(h.what) <> max(h.what) AS violated
FROM held h
JOIN kept k ON k.run_id = h.run_id AND k.example = h.example AND k.region = h.region AND k.checked
SEMI JOIN received r ON r.run_id = h.run_id AND r.example = h.example AND r.site = h.site AND r.region = h.region
  AND r.key = h.key
ANTI JOIN meddled m ON m.run_id = h.run_id AND m.example = h.example AND m.region = h.region AND m.key = h.key
ANTI JOIN parting c ON c.run_id = h.run_id AND c.example = h.example AND c.region = h.region AND c.key = h.key
ANTI JOIN gone g ON g.run_id = h.run_id AND g.example = h.example AND g.site = h.site
GROUP BY h.run_id, h.example, h.site, h.region, h.key
HAVING count(DISTINCT h.member) > 1
