-- part: Such operations and the clients that must be sent them: observed, registered from before the call
--   until all rests, not themselves concerned with the key meanwhile. How often each was told, and by which
--   registrations it was covered.
-- columns: run_id, example, seq, kind, client, region, key, op_id, status
-- needs: sureties, wants, told
doings AS (
  SELECT b.run_id, b.example, b.client, b.region, b.key, b.seq AS called_at, coalesce(e.seq, 9223372036854775807) AS over_at
  FROM ev b
  LEFT JOIN ev e ON e.run_id = b.run_id AND e.example = b.example AND e.op_id = b.op_id AND e.kind = 'op_end'
    AND e.status <> 'indefinite'
  WHERE b.kind = 'op_begin' AND b.client IS NOT NULL
),
covered AS (
  SELECT s.run_id, s.example, s.op_id, w.client, count(DISTINCT w.registration) AS registrations,
    bool_and(w.brings) AS all_bring, bool_or(w.brings) AS some_bring, bool_and(w.by_what = 'regex') AS by_expression,
    max(w.from_at) AS covered_at
  FROM sureties s
  JOIN wants w ON w.run_id = s.run_id AND w.example = s.example AND w.region = s.region AND w.key = s.key
    AND w.from_at < s.called_at AND w.until_at > s.rest_at
  GROUP BY s.run_id, s.example, s.op_id, w.client
),
heard AS (
  SELECT DISTINCT run_id, example, client
  FROM ev
  WHERE kind = 'observed' AND client IS NOT NULL
),
owed AS (
  SELECT s.run_id, s.example, s.region, s.key, s.op, s.op_id, s.token, s.member, s.called_at, s.returned_at, s.rest_at,
    s.rested_at, s.of_client, s.by_server, s.op_before, s.call_before, v.client, v.registrations, v.all_bring, v.some_bring,
    v.by_expression, v.covered_at, k.first_server, k.spares, k.first_lost_at, k.line_lost_at, k.all_lost_at,
    CASE WHEN f.key IS NOT NULL THEN least(coalesce(t.times, 0), 1) ELSE coalesce(t.times, 0) END AS times,
    coalesce(t.with_value, 0) AS with_value, f.key IS NOT NULL AS fetched, t.first_at, t.last_at,
    s.op || ' ' || coalesce(s.token, '') || ' on ' || s.member || ', told to ' || v.client || ' '
      || CAST(coalesce(t.times, 0) AS STRING) || ' times' AS witness
  FROM sureties s
  JOIN covered v ON v.run_id = s.run_id AND v.example = s.example AND v.op_id = s.op_id
  JOIN clientele k ON k.run_id = s.run_id AND k.example = s.example AND k.client = v.client
  SEMI JOIN heard h ON h.run_id = s.run_id AND h.example = s.example AND h.client = v.client
  ANTI JOIN doings d ON d.run_id = s.run_id AND d.example = s.example AND d.client = v.client AND d.region = s.region
    AND d.key = s.key AND d.called_at < s.rest_at AND d.over_at > s.called_at
  LEFT JOIN told t ON t.run_id = s.run_id AND t.example = s.example AND t.client = v.client AND t.op_id = s.op_id
  LEFT JOIN fetched f ON f.run_id = s.run_id AND f.example = s.example AND f.client = v.client AND f.region = s.region
    AND f.key = s.key
  WHERE s.member <> v.client
)
