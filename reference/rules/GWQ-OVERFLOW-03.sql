-- requirement: GWQ-OVERFLOW-03
-- view: black-box
-- empty-start: no
-- only-with: queue_host
-- parts: reborn
-- columns: run_id, example, seq, region, key
-- opportunity: a put or create that had returned when all members of its site died, of a serial gateway sender that
--   is not on disk, while the link was down or no receiver ran from before its call until members were started again
-- violation: it is shown at the other site
SELECT run_id, example, coalesce(shown_at, started_at) AS seq, region || '/' || key AS subject, witness, shown_at IS NOT NULL AS violated
FROM reborn
WHERE NOT partly AND held_up
