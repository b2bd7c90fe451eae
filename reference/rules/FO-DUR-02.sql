-- requirement: FO-DUR-02
-- view: black-box
-- empty-start: no
-- only-with: ready
-- parts: survived
-- columns: seq
-- opportunity: a put or create called while a durable client was away, on a key of its durable registrations; all
--   servers that kept its queue died before it came back
-- violation: the client is told of it
SELECT run_id, example, judged_at AS seq, region || '/' || key AS subject, witness, times > 0 AS violated
FROM survived
WHERE lost_away = many
