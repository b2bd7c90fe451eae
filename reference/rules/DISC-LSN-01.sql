-- requirement: DISC-LSN-01
-- view: black-box
-- empty-start: yes
-- columns: run_id, example, seq, kind, member, region, key, op, event, op_id, token, listener, log_pos, policy,
--   checks, state_after, value, order_strength, site, origin_site, eid, server
-- opportunity: an operation shown to a listener (may be shown once, must have been called), and a key that an
--   observed member holds or was told of (its last event must be what it holds, where logs keep the order of
--   a key; that something absent became invalid need not be told, nor when an entry of its own bulk operation was applied,
--   nor what one member alone expires or evicts); replicated region with checks on;
--   of members that were not started again, and have not given up their copy and taken another;
--   redelivered operations are VER-DUP-01's, repetitions from another site GWQ-ACK-04's, what members with less
--   than a replicate ask of another, once one has died, CONS-NR-03's
-- violation: shown twice; shown and never called; the last event shown is not what the member holds
WITH started_again AS (
  SELECT DISTINCT s.run_id, s.example, s.member
  FROM ev s
  JOIN ev c ON c.run_id = s.run_id AND c.example = s.example AND c.member = s.member AND c.kind = 'crash' AND c.seq < s.seq
  WHERE s.kind = 'member_start'
),
given_up AS (
  SELECT DISTINCT run_id, example, member, region
  FROM ev
  WHERE kind = 'region_close' AND region IS NOT NULL
),
hosts AS (
  SELECT h.run_id, h.example, h.region, h.member
  FROM ev h
  ANTI JOIN given_up g ON g.run_id = h.run_id AND g.example = h.example AND g.member = h.member AND g.region = h.region
  ANTI JOIN started_again a ON a.run_id = h.run_id AND a.example = h.example AND a.member = h.member
  WHERE h.kind = 'region_host' AND h.policy = 'replicate' AND coalesce(h.checks, true)
),
called AS (
  SELECT DISTINCT run_id, example, region, token
  FROM ev
  WHERE kind = 'op_begin' AND token IS NOT NULL
),
again AS (
  SELECT DISTINCT run_id, example, op_id
  FROM ev
  WHERE kind = 'redeliver'
  UNION ALL
  SELECT DISTINCT b.run_id, b.example, b.op_id
  FROM ev b
  JOIN ev h ON h.run_id = b.run_id AND h.example = b.example AND h.member = b.member AND h.region = b.region
    AND h.kind = 'region_host' AND h.policy <> 'replicate'
  SEMI JOIN ev c ON c.run_id = b.run_id AND c.example = b.example AND c.kind = 'crash'
  WHERE b.kind = 'op_begin'
),
shown AS (
  SELECT e.run_id, e.example, e.seq, e.member, e.region, e.key, e.event, e.op_id, e.token, e.log_pos,
    coalesce(e.listener, '') AS listener, coalesce(e.origin_site <> e.site, false) AS from_afar
  FROM ev e
  SEMI JOIN hosts h ON h.run_id = e.run_id AND h.example = e.example AND h.region = e.region
    AND h.member = e.member
  WHERE e.kind = 'listener'
),
counted AS (
  SELECT run_id, example, member, region, key, token, listener, max(seq) AS seq,
    count(CASE WHEN NOT from_afar THEN 1 END) AS times
  FROM shown
  ANTI JOIN again USING (run_id, example, op_id)
  WHERE token IS NOT NULL
  GROUP BY run_id, example, member, region, key, token, listener
),
ordered AS (
  SELECT DISTINCT run_id, example
  FROM ev
  WHERE kind = 'example_begin' AND order_strength IN ('total', 'per_key')
),
whole AS (
  SELECT DISTINCT run_id, example, region
  FROM ev
  WHERE kind = 'op_begin' AND key IS NULL
),
told AS (
  SELECT run_id, example, member, region, key,
    CASE event WHEN 'destroy' THEN 'absent' WHEN 'invalidate' THEN 'invalid'
      ELSE 'valid ' || coalesce(token, '?')
    END AS what,
    row_number() OVER (
      PARTITION BY run_id, example, member, region, key, listener ORDER BY log_pos DESC NULLS LAST
    ) AS from_end
  FROM shown
),
told_late AS (
  SELECT DISTINCT run_id, example, coalesce(member, server) AS member, region, key
  FROM ev
  WHERE kind = 'op_begin' AND (eid IS NOT NULL OR op IN ('expire_local_destroy', 'expire_local_invalidate', 'evict'))
),
watched AS (
  SELECT DISTINCT run_id, example, member
  FROM ev
  WHERE kind = 'observed'
),
held AS (
  SELECT f.run_id, f.example, f.seq, f.member, f.region, f.key,
    f.state_after || coalesce(' ' || f.value, '') AS what
  FROM ev f
  SEMI JOIN hosts h ON h.run_id = f.run_id AND h.example = f.example AND h.region = f.region
    AND h.member = f.member
  SEMI JOIN watched w ON w.run_id = f.run_id AND w.example = f.example AND w.member = f.member
  SEMI JOIN ordered o ON o.run_id = f.run_id AND o.example = f.example
  ANTI JOIN whole r ON r.run_id = f.run_id AND r.example = f.example AND r.region = f.region
  ANTI JOIN told_late l ON l.run_id = f.run_id AND l.example = f.example AND l.member = f.member
    AND l.region = f.region AND l.key = f.key
  WHERE f.kind = 'final_value'
)
SELECT s.run_id, s.example, s.seq, s.region || '/' || coalesce(s.key, '') AS subject,
  s.token || ' shown on ' || s.member
    || CASE WHEN c.token IS NULL THEN ', never called' WHEN s.times > 1 THEN ' more than once' ELSE '' END AS witness,
  c.token IS NULL OR s.times > 1 AS violated
FROM counted s
LEFT JOIN called c ON c.run_id = s.run_id AND c.example = s.example AND c.region = s.region AND c.token = s.token
UNION ALL
SELECT h.run_id, h.example, h.seq, h.region || '/' || h.key AS subject,
  h.member || ' holds ' || h.what || ', last shown: ' || coalesce(t.what, 'nothing') AS witness,
  h.what <> coalesce(t.what, 'nothing') AS violated
FROM held h
LEFT JOIN told t ON t.run_id = h.run_id AND t.example = h.example AND t.member = h.member
  AND t.region = h.region AND t.key = h.key AND t.from_end = 1
WHERE CASE coalesce(t.what, 'absent') WHEN 'absent' THEN h.what NOT IN ('absent', 'invalid') ELSE true END
