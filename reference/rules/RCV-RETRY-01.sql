-- requirement: RCV-RETRY-01
-- view: black-box
-- empty-start: no
-- only-with: inject
-- parts: fed, refusals
-- columns: run_id, example, seq, kind, site, member, region, key, op, op_id, thread, log_pos, order_strength
-- opportunity: what a member of the other of two sites shows of an operation called behind the return of a put or create of
--   a key that a cache writer there refused, of a serial sender that keeps what failed; acknowledged regions, logs in
--   total order, no member lost
-- violation: the member has not shown the refused one before
WITH total AS (
  SELECT DISTINCT run_id, example
  FROM ev
  WHERE kind = 'example_begin' AND order_strength = 'total'
),
kept_events AS (
  SELECT d.run_id, d.example, d.op_id, d.op, d.region, d.key, d.called_at, d.returned_at, d.to_site, d.queue
  FROM fed_at_all d
  SEMI JOIN keeping k ON k.run_id = d.run_id AND k.example = d.example AND k.queue = d.queue
  SEMI JOIN kept_at_all a ON a.run_id = d.run_id AND a.example = d.example AND a.region = d.region AND a.acknowledged
  SEMI JOIN feeds f ON f.run_id = d.run_id AND f.example = d.example AND f.queue = d.queue AND f.lanes = 1 AND NOT f.in_parallel
  SEMI JOIN total t ON t.run_id = d.run_id AND t.example = d.example
  SEMI JOIN two_sites w ON w.run_id = d.run_id AND w.example = d.example
  ANTI JOIN gone g ON g.run_id = d.run_id AND g.example = d.example
),
shows AS (
  SELECT e.run_id, e.example, e.op_id, t.member, min(t.log_pos) AS pos, min(t.seq) AS shown_at
  FROM kept_events e
  JOIN ev t ON t.run_id = e.run_id AND t.example = e.example AND t.op_id = e.op_id AND t.kind = 'listener' AND t.site = e.to_site
  GROUP BY e.run_id, e.example, e.op_id, t.member
)
SELECT DISTINCT two.run_id, two.example, two.shown_at AS seq, b.region || '/' || b.key || ' on ' || two.member AS subject,
  'operation ' || CAST(b.op_id AS STRING) || ' shown, called behind operation ' || CAST(a.op_id AS STRING) || ' of the refused '
    || a.key || CASE WHEN coalesce(one.pos < two.pos, false) THEN '' ELSE ', which was not' END AS witness,
  NOT coalesce(one.pos < two.pos, false) AS violated
FROM kept_events a
SEMI JOIN refusals r ON r.run_id = a.run_id AND r.example = a.example AND r.site = a.to_site AND r.region = a.region
  AND r.key = a.key AND r.from_at < a.called_at AND a.returned_at < r.until_at
JOIN kept_events b ON b.run_id = a.run_id AND b.example = a.example AND b.queue = a.queue
  AND a.returned_at < b.called_at
JOIN shows two ON two.run_id = b.run_id AND two.example = b.example AND two.op_id = b.op_id
LEFT JOIN shows one ON one.run_id = a.run_id AND one.example = a.example AND one.op_id = a.op_id AND one.member = two.member
WHERE a.op <> 'destroy'
