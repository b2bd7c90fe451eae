-- requirement: INT-NOEVT-01
-- view: black-box
-- empty-start: no
-- only-with: client_start
-- parts: served
-- columns: seq, seen_after, seen_before, client, interest_kind, interest_spec, amount
-- opportunity: a registration made at rest, with nothing called, killed or released between the settle
--   point before it and the next one, or the end
-- violation: a listener was told of something in between, and not before it
WITH doing AS (
  SELECT run_id, example, seq
  FROM ev
  WHERE kind IN ('op_begin', 'crash', 'member_start', 'member_stop', 'gate_release',
    'ready', 'client_start', 'client_close_begin')
),
registering AS (
  SELECT r.run_id, r.example, r.seq, r.client, r.region, r.interest_kind, r.interest_spec,
    max(p.seq) AS settled_at
  FROM ev r
  SEMI JOIN served s ON s.run_id = r.run_id AND s.example = r.example AND s.region = r.region
  JOIN ev p ON p.run_id = r.run_id AND p.example = r.example AND p.kind = 'settle' AND p.amount = 0 AND p.seq < r.seq
  WHERE r.kind = 'ri_begin'
  GROUP BY r.run_id, r.example, r.seq, r.client, r.region, r.interest_kind, r.interest_spec
),
quiet AS (
  SELECT g.run_id, g.example, g.seq, g.client, g.region, g.interest_kind, g.interest_spec, g.settled_at,
    coalesce(min(CASE WHEN d.seq > g.seq THEN d.seq END), 9223372036854775807) AS ends_at
  FROM registering g
  LEFT JOIN doing d ON d.run_id = g.run_id AND d.example = g.example AND d.seq > g.settled_at
  GROUP BY g.run_id, g.example, g.seq, g.client, g.region, g.interest_kind, g.interest_spec, g.settled_at
  HAVING coalesce(min(d.seq), 9223372036854775807) > g.seq
),
heard AS (
  SELECT q.run_id, q.example, q.seq, min(e.seq) AS shown_at, min(coalesce(e.member, e.client)) AS who
  FROM quiet q
  JOIN ev e ON e.run_id = q.run_id AND e.example = q.example AND e.kind = 'listener'
    AND e.seen_after >= q.settled_at AND e.seq > q.seq AND e.seq < q.ends_at
    AND coalesce(e.seen_before, e.seq) < q.ends_at
  GROUP BY q.run_id, q.example, q.seq
)
SELECT q.run_id, q.example, coalesce(h.shown_at, q.seq) AS seq, q.region AS subject,
  q.client || ' registers for ' || q.interest_kind || ' ' || coalesce(q.interest_spec, '')
    || coalesce(', and a listener of ' || h.who || ' is told of something', '') AS witness,
  h.shown_at IS NOT NULL AS violated
FROM quiet q
LEFT JOIN heard h ON h.run_id = q.run_id AND h.example = q.example AND h.seq = q.seq
