-- requirement: CONS-CL-01
-- view: black-box
-- empty-start: no
-- only-with: client_start
-- parts: wanted_first, sights
-- columns: run_id, example, seq, kind, client, region, key, op, status
-- opportunity: what a client holds at rest of a key that it has put or destroyed itself, beside what its server,
--   alive, holds then. All its registrations covered the key with values before anything was called on it, and both
--   check. The client called nothing else on it but gets. Where a member has invalidated what the client does not
--   hold, its server keeps an invalid entry and the client none: that is left out
-- violation: they do not hold the same
WITH own AS (
  SELECT run_id, example, client, region, key, bool_or(op IN ('put', 'create', 'destroy')) AS changes,
    bool_or(op NOT IN ('put', 'create', 'get', 'destroy')) AS does_more, min(seq) AS called_at
  FROM ev
  WHERE kind = 'op_begin' AND client IS NOT NULL
  GROUP BY run_id, example, client, region, key
),
invalidated AS (
  SELECT run_id, example, region, key, min(seq) AS called_at
  FROM ev
  WHERE kind = 'op_begin' AND op = 'invalidate'
  GROUP BY run_id, example, region, key
)
SELECT s.run_id, s.example, s.seq, s.region || '/' || s.key AS subject,
  s.client || ' holds ' || s.what || ', its server ' || t.member || ' ' || t.what AS witness, s.what <> t.what AS violated
FROM sights s
JOIN clientele k ON k.run_id = s.run_id AND k.example = s.example AND k.client = s.client AND k.checked
  AND k.first_lost_at > s.seq
JOIN served v ON v.run_id = s.run_id AND v.example = s.example AND v.region = s.region AND v.checked
JOIN own o ON o.run_id = s.run_id AND o.example = s.example AND o.client = s.client AND o.region = s.region AND o.key = s.key
  AND o.changes AND NOT o.does_more AND o.called_at < s.seq
JOIN wanted_first f ON f.run_id = s.run_id AND f.example = s.example AND f.client = s.client AND f.region = s.region
  AND f.key = s.key AND s.registered_at < f.first_call AND s.seq < f.until_at
JOIN sights t ON t.run_id = s.run_id AND t.example = s.example AND t.member = k.first_server AND t.region = s.region
  AND t.key = s.key AND t.busy_at = s.busy_at
LEFT JOIN invalidated i ON i.run_id = s.run_id AND i.example = s.example AND i.region = s.region AND i.key = s.key
  AND i.called_at < s.seq
ANTI JOIN meddled m ON m.run_id = s.run_id AND m.example = s.example AND m.region = s.region AND m.key = s.key
WHERE i.called_at IS NULL OR s.state <> 'absent' OR t.state <> 'invalid'
