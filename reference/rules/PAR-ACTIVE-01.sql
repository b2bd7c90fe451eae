-- requirement: PAR-ACTIVE-01
-- view: black-box
-- empty-start: no
-- only-with: async_event
-- parts: placed, offers
-- columns: run_id, example, seq, kind, member, region, key, queue, queue_type
-- opportunity: an event of a parallel queue that a listener receives, of a key whose primary is known, no member lost
-- violation: it is the listener of another member
WITH primaries AS (
  SELECT run_id, example, region, key, min(member) AS leads
  FROM placed
  WHERE role = 'primary'
  GROUP BY run_id, example, region, key
  HAVING min(member) = max(member)
)
SELECT a.run_id, a.example, a.seq, a.queue || ', ' || a.region || '/' || a.key AS subject,
  'a listener on ' || a.member || ' receives what ' || p.leads || ' is primary for' AS witness, a.member <> p.leads AS violated
FROM ev a
JOIN async_queues q ON q.run_id = a.run_id AND q.example = a.example AND q.queue = a.queue AND q.in_parallel
JOIN primaries p ON p.run_id = a.run_id AND p.example = a.example AND p.region = a.region AND p.key = a.key
ANTI JOIN ev x ON x.run_id = a.run_id AND x.example = a.example AND x.kind IN ('crash', 'member_stop', 'region_close')
WHERE a.kind = 'async_event'
