-- requirement: DUR-REPLAY-07
-- view: black-box
-- empty-start: no
-- only-with: ready
-- parts: marks
-- columns: seq
-- opportunity: a region of a durable client that has become ready, when all rests behind that
-- violation: the client's listener is told in that life never, or more than once, that the region is live
SELECT k.run_id, k.example, coalesce(k.first_at, k.rest_at) AS seq, k.region AS subject, k.witness, k.times <> 1 AS violated
FROM marks k
