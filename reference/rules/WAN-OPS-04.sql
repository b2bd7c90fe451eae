-- requirement: WAN-OPS-04
-- view: black-box
-- empty-start: no
-- only-with: queue_host
-- parts: looks, feeds, unusual
-- columns: run_id, example, seq, kind, site, region, op, queue
-- opportunity: two looks, one after the other, at a member's copy of a gateway sender's queue, with nothing
--   but reads called since a settle point before the first, and a get on an attached region between them
-- violation: the queue has grown
WITH pairs AS (
  SELECT run_id, example, site, member, queue, seq, amount, stretch, quiet_from,
    lag(seq) OVER (PARTITION BY run_id, example, stretch, member, queue ORDER BY seq NULLS LAST) AS seq_before,
    lag(amount) OVER (PARTITION BY run_id, example, stretch, member, queue ORDER BY seq NULLS LAST) AS amount_before
  FROM looks
  WHERE quiet_from IS NOT NULL
),
got AS (
  SELECT DISTINCT g.run_id, g.example, f.queue, g.seq
  FROM ev g
  JOIN feeds f ON f.run_id = g.run_id AND f.example = g.example AND f.region = g.region AND f.from_site = g.site
  WHERE g.kind = 'op_begin' AND g.op = 'get'
)
SELECT p.run_id, p.example, p.seq, p.queue || ' on ' || p.member AS subject,
  CAST(p.amount_before AS STRING) || ' events before ' || CAST(count(g.seq) AS STRING) || ' gets, '
    || CAST(p.amount AS STRING) || ' after' AS witness,
  p.amount > p.amount_before AS violated
FROM pairs p
JOIN got g ON g.run_id = p.run_id AND g.example = p.example AND g.queue = p.queue
  AND p.seq_before < g.seq AND g.seq < p.seq
ANTI JOIN unusual u ON u.run_id = p.run_id AND u.example = p.example
GROUP BY p.run_id, p.example, p.seq, p.queue, p.member, p.amount_before, p.amount
