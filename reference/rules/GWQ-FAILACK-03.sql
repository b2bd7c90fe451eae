-- requirement: GWQ-FAILACK-03
-- view: black-box
-- empty-start: yes
-- only-with: inject
-- parts: due, refusals
-- columns: run_id, example, seq, region, key, op, token, member, site
-- opportunity: an operation that had to reach the other site at rest, where cache writers refuse other keys and never
--   its own, of a sender that removes what failed, no member lost
-- violation: it was never shown there
SELECT d.run_id, d.example, coalesce(d.shown_at, d.rest_at) AS seq, d.region || '/' || d.key AS subject,
  d.op || ' ' || coalesce(d.token, '') || ' on ' || d.member || CASE WHEN d.shown_at IS NULL THEN ' never' ELSE '' END
    || ' shown at site ' || CAST(d.to_site AS STRING) || ', which refuses other keys' AS witness,
  d.shown_at IS NULL AS violated
FROM due_at_all d
SEMI JOIN refusals r ON r.run_id = d.run_id AND r.example = d.example AND r.site = d.to_site AND r.region = d.region
ANTI JOIN refusals o ON o.run_id = d.run_id AND o.example = d.example AND o.region = d.region AND o.key = d.key
ANTI JOIN keeping k ON k.run_id = d.run_id AND k.example = d.example AND k.queue = d.queue
ANTI JOIN gone g ON g.run_id = d.run_id AND g.example = d.example
