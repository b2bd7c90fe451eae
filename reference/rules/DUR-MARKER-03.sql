-- requirement: DUR-MARKER-03
-- view: black-box
-- empty-start: no
-- only-with: ready
-- parts: survived
-- columns: seq
-- opportunity: a put or create called while a durable client was away, on a key of its durable registrations; some of
--   the servers that keep its queue die once it is ready, others never
-- violation: the client is not told of it, or more than once
SELECT run_id, example, judged_at AS seq, region || '/' || key AS subject, witness, times <> 1 AS violated
FROM survived
WHERE lost_away = 0 AND lost_unready = 0 AND lost_ever > 0 AND lost_ever < many
