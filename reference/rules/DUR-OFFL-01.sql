-- requirement: DUR-OFFL-01
-- view: black-box
-- empty-start: no
-- only-with: crash
-- parts: stranded, changes
-- columns: seq, kind, client, region, key, op, op_id, status, value, state_after, amount
-- opportunity: a get that a client calls while none of its servers runs, of a key that it holds with a value at a
--   reading in that time; the client only reads then, and nothing has changed the key since all rested before
-- violation: the get ends in another way than with that value
WITH resting AS (
  SELECT s.run_id, s.example, s.client, s.since, s.found_at, max(z.seq) AS rested_at
  FROM stranded s
  JOIN ev z ON z.run_id = s.run_id AND z.example = s.example AND z.kind = 'settle' AND z.amount = 0 AND z.seq < s.since
  ANTI JOIN ev o ON o.run_id = s.run_id AND o.example = s.example AND o.client = s.client AND o.seq > s.since
    AND o.seq < s.found_at AND coalesce(o.op, '') <> 'get'
    AND o.kind IN ('op_begin', 'ri_begin', 'ri_call', 'unregister_begin', 'client_close_begin', 'client_start', 'crash')
  GROUP BY s.run_id, s.example, s.client, s.since, s.found_at
)
SELECT r.run_id, r.example, e.seq, b.region || '/' || b.key AS subject,
  r.client || ' holds ' || c.value || ' without servers, and its get ends ' || e.status || ' with '
    || coalesce(e.value, 'nothing') AS witness,
  e.status <> 'ok' OR coalesce(e.value, '') <> c.value AS violated
FROM resting r
JOIN ev b ON b.run_id = r.run_id AND b.example = r.example AND b.client = r.client AND b.kind = 'op_begin'
  AND b.op = 'get' AND b.seq > r.since AND b.seq < r.found_at
JOIN ev e ON e.run_id = r.run_id AND e.example = r.example AND e.op_id = b.op_id AND e.kind = 'op_end'
JOIN ev c ON c.run_id = r.run_id AND c.example = r.example AND c.client = r.client AND c.region = b.region
  AND c.key = b.key AND c.kind = 'content' AND c.state_after = 'valid' AND c.value IS NOT NULL AND c.seq > r.since
  AND c.seq < r.found_at
ANTI JOIN changes o ON o.run_id = r.run_id AND o.example = r.example AND o.region = b.region AND o.key = b.key
  AND o.over_at > r.rested_at
