-- requirement: FO-DUR-01
-- view: black-box
-- empty-start: no
-- only-with: ready
-- parts: survived
-- columns: seq
-- opportunity: a put or create called while a durable client was away, on a key of its durable registrations; some of
--   the servers that kept its queue died then, others never
-- violation: the client is never told of it when it is back
SELECT run_id, example, judged_at AS seq, region || '/' || key AS subject, witness, times = 0 AS violated
FROM survived
WHERE lost_away > 0 AND lost_ever = lost_away AND lost_away < many
