-- requirement: DUR-MARKER-01
-- view: black-box
-- empty-start: no
-- only-with: ready
-- parts: marks
-- columns: seq
-- opportunity: a region of a durable client that has become ready in its first life, when all rests behind
--   that
-- violation: the client's listener is not told by then that the region is live
SELECT k.run_id, k.example, coalesce(k.first_at, k.rest_at) AS seq, k.region AS subject, k.witness,
  coalesce(k.first_at, 9223372036854775807) > k.rest_at AS violated
FROM marks k
WHERE k.left_at IS NULL
