-- requirement: GWQ-PERSIST-01
-- view: black-box
-- empty-start: no
-- only-with: queue_host
-- parts: reborn
-- columns: run_id, example, seq, region, key
-- opportunity: a put or create that had returned when all members of its site died, of a serial gateway sender on
--   disk; all were started again, none died once more, and all rests behind that; the other of two sites lost no
--   member
-- violation: it was never shown there
SELECT run_id, example, coalesce(shown_at, rest_at) AS seq, region || '/' || key AS subject, witness, shown_at IS NULL AS violated
FROM reborn
WHERE on_disk
