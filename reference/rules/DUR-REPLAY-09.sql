-- requirement: DUR-REPLAY-09
-- view: black-box
-- empty-start: no
-- only-with: ready
-- parts: stored
-- columns: seq, kind, durable
-- opportunity: a put or create called while a durable client was away whose queue was kept, on a key that
--   its durable registrations alone covered, no time being let pass; or on one that none of them
--   covered; all rests once the client has come back and is ready
-- violation: the client is not told by then of what a durable registration covered, or is told of what none
--   covered
SELECT q.run_id, q.example, q.judged_at AS seq, q.region || '/' || q.key AS subject, q.witness, q.withheld AS violated
FROM stored q
WHERE NOT q.wanted_now AND q.away_ms = 0
UNION ALL
SELECT m.run_id, m.example, coalesce(m.first_at, m.rest_at) AS seq, m.region || '/' || m.key AS subject, m.witness,
  m.times > 0 AS violated
FROM matched m
ANTI JOIN ev k ON k.run_id = m.run_id AND k.example = m.example AND k.client = m.client AND k.region = m.region
  AND k.key = m.key AND k.kind = 'ri_key' AND k.durable
WHERE NOT m.wanted_now AND m.left_how <> 'closed' AND m.left_at < m.called_at AND m.returned_at < m.begun_at
  AND m.rest_at IS NOT NULL
