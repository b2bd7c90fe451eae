-- part: What a client holds at rest right behind a registration for keys, key by key, beside what its first
--   server held at the same rest, or else what the last change left; whether the registration covers the key.
-- columns: run_id, example, seq, kind, client, region, key, interest_kind, interest_spec, interest_policy
-- needs: sights, sureties
at_server AS (
  SELECT run_id, example, member, region, key, busy_at, min(what) AS what, max(what) AS what_else
  FROM sights
  WHERE member IS NOT NULL
  GROUP BY run_id, example, member, region, key, busy_at
),
covers AS (
  SELECT k.run_id, k.example, k.client, k.region, k.key, max(b.seq) AS registered_at
  FROM ev k
  JOIN ev b ON b.run_id = k.run_id AND b.example = k.example AND b.client = k.client AND b.region = k.region
    AND b.kind = 'ri_begin' AND b.seq < k.seq
  WHERE k.kind = 'ri_key'
  GROUP BY k.run_id, k.example, k.client, k.region, k.key, k.seq
),
changed_last AS (
  SELECT s.run_id, s.example, s.seq, max(t.called_at) AS called_at
  FROM sights s
  LEFT JOIN turns t ON t.run_id = s.run_id AND t.example = s.example AND t.region = s.region AND t.key = s.key
    AND t.called_at < s.seq
  WHERE s.registered_at > s.busy_at
  GROUP BY s.run_id, s.example, s.seq
),
left_behind AS (
  SELECT c.run_id, c.example, c.seq,
    CASE WHEN c.called_at IS NULL OR o.op = 'destroy' THEN 'absent' WHEN o.op = 'invalidate' THEN 'invalid'
      ELSE 'valid ' || o.token END AS what
  FROM changed_last c
  LEFT JOIN sureties o ON o.run_id = c.run_id AND o.example = c.example AND o.called_at = c.called_at
  WHERE c.called_at IS NULL OR o.op IS NOT NULL
),
registered AS (
  SELECT s.run_id, s.example, s.seq, s.client, s.region, s.key, s.state, s.what, r.interest_kind AS by_what,
    r.interest_policy AS loads, r.seq AS registered_at, v.key IS NOT NULL AS is_covered, coalesce(a.what, e.what) AS there,
    s.client || ' holds ' || s.what || ' after registering for ' || r.interest_kind || ' '
      || coalesce(r.interest_spec, '') || ' with ' || r.interest_policy || '; ' || k.first_server || ' has '
      || coalesce(a.what, e.what, '?') AS witness
  FROM sights s
  JOIN ev r ON r.run_id = s.run_id AND r.example = s.example AND r.client = s.client AND r.region = s.region
    AND r.seq = s.registered_at AND r.kind = 'ri_begin'
  JOIN clientele k ON k.run_id = s.run_id AND k.example = s.example AND k.client = s.client AND k.first_lost_at > s.seq
  LEFT JOIN covers v ON v.run_id = s.run_id AND v.example = s.example AND v.client = s.client AND v.region = s.region
    AND v.key = s.key AND v.registered_at = s.registered_at
  LEFT JOIN at_server a ON a.run_id = s.run_id AND a.example = s.example AND a.member = k.first_server
    AND a.region = s.region AND a.key = s.key AND a.busy_at = s.busy_at AND a.what = a.what_else
  LEFT JOIN left_behind e ON e.run_id = s.run_id AND e.example = s.example AND e.seq = s.seq
  WHERE s.registered_at > s.busy_at
)
