-- requirement: SHQ-TYPE-02
-- view: black-box
-- empty-start: no
-- only-with: queued
-- parts: placed, gone
-- columns: run_id, example, seq, kind, member, region, key, token, queue, parallel
-- opportunity: an event that a member is seen to hold of a parallel queue, of a key whose holders are known, no
--   member lost
-- violation: the member does not hold the key
WITH parallel_hosts AS (
  SELECT DISTINCT run_id, example, queue
  FROM ev
  WHERE kind = 'queue_host' AND parallel
)
SELECT DISTINCT q.run_id, q.example, q.seq, q.queue || ' on ' || q.member AS subject,
  'holds ' || q.token || ' of ' || o.region || '/' || o.key
    || CASE WHEN p.run_id IS NULL THEN ', which lies elsewhere' ELSE '' END AS witness,
  p.run_id IS NULL AS violated
FROM ev q
JOIN parallel_hosts h ON h.run_id = q.run_id AND h.example = q.example AND h.queue = q.queue
JOIN ev o ON o.run_id = q.run_id AND o.example = q.example AND o.token = q.token AND o.kind = 'op_begin'
SEMI JOIN placed k ON k.run_id = o.run_id AND k.example = o.example AND k.region = o.region AND k.key = o.key
LEFT JOIN placed p ON p.run_id = o.run_id AND p.example = o.example AND p.region = o.region AND p.key = o.key
  AND p.member = q.member
ANTI JOIN gone g ON g.run_id = q.run_id AND g.example = q.example
WHERE q.kind = 'queued'
