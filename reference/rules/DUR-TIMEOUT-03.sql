-- requirement: DUR-TIMEOUT-03
-- view: black-box
-- empty-start: no
-- only-with: stat
-- parts: lives
-- columns: seq, kind, member, client, server, name, durable, amount
-- opportunity: a reading of how many alerts a server has logged that keeps the queue of a durable client; the
--   client has durable interest, and is away for more than five quarters of its time-out
-- violation: the server has logged none
WITH passing AS (
  SELECT l.run_id, l.example, l.client, l.begun_at, l.waits_ms, s.member, s.seq, s.amount, sum(a.amount) AS passed_ms
  FROM lives l
  JOIN ev s ON s.run_id = l.run_id AND s.example = l.example AND s.kind = 'stat' AND s.name = 'alerts'
    AND s.seq > l.ended_at AND s.seq < l.back_at
  JOIN ev a ON a.run_id = l.run_id AND a.example = l.example AND a.kind = 'advance' AND a.seq > l.ended_at
    AND a.seq < s.seq
  SEMI JOIN ev k ON k.run_id = l.run_id AND k.example = l.example AND k.client = l.client AND k.kind = 'ri_begin'
    AND k.durable AND k.seq > l.begun_at AND k.seq < l.ended_at
  WHERE l.ends_how IN ('kept', 'crashed')
  GROUP BY l.run_id, l.example, l.client, l.begun_at, l.waits_ms, s.member, s.seq, s.amount
)
SELECT p.run_id, p.example, p.seq, p.member AS subject,
  p.member || ' has logged ' || CAST(p.amount AS STRING) || ' alerts; ' || p.client || ' has been away for '
    || CAST(p.passed_ms AS STRING) || ' ms' AS witness,
  p.amount = 0 AS violated
FROM passing p
JOIN ev m ON m.run_id = p.run_id AND m.example = p.example AND m.client = p.client AND m.kind = 'may_serve'
  AND m.server = p.member
SEMI JOIN ev c ON c.run_id = p.run_id AND c.example = p.example AND c.client = p.client AND c.kind = 'client_start'
  AND c.amount >= m.amount
WHERE p.passed_ms + p.passed_ms + p.passed_ms + p.passed_ms
  > p.waits_ms + p.waits_ms + p.waits_ms + p.waits_ms + p.waits_ms
