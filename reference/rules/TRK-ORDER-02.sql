-- requirement: TRK-ORDER-02
-- view: black-box
-- empty-start: no
-- only-with: client_start
-- parts: arrived, wanted_first
-- columns: seq
-- opportunity: what a client holds at rest of a key whose last call was owed to it with its value, untouched
--   since, with its first server alive; a key that all its registrations covered with values before anything
--   was called on it, beside what its server holds then, both with checks on; not of a key that an
--   invalidation was called of, invalid at the server and absent at the client: no document demands an event
--   for an absent entry that becomes invalid
-- violation: it is not what that call left; they do not hold the same
WITH own_doings AS (
  SELECT DISTINCT run_id, example, client, region, key
  FROM ev
  WHERE kind = 'op_begin' AND client IS NOT NULL AND op NOT IN ('put', 'create', 'get', 'destroy')
),
invalidated AS (
  SELECT run_id, example, region, key, min(seq) AS since
  FROM ev
  WHERE kind = 'op_begin' AND op = 'invalidate'
  GROUP BY run_id, example, region, key
)

SELECT a.run_id, a.example, a.seq, a.region || '/' || a.key AS subject, a.witness,
  a.what <> a.ought AS violated
FROM arrived a
WHERE a.all_bring AND a.op IN ('put', 'create', 'destroy') AND a.first_lost_at > a.seq
UNION ALL
SELECT s.run_id, s.example, s.seq, s.region || '/' || s.key AS subject,
  s.client || ' holds ' || s.what || ', ' || t.member || ' ' || t.what AS witness, s.what <> t.what AS violated
FROM sights s
JOIN clientele k ON k.run_id = s.run_id AND k.example = s.example AND k.client = s.client AND k.checked
  AND k.first_lost_at > s.seq
JOIN served v ON v.run_id = s.run_id AND v.example = s.example AND v.region = s.region AND v.checked
JOIN wanted_first f ON f.run_id = s.run_id AND f.example = s.example AND f.client = s.client AND f.region = s.region
  AND f.key = s.key AND s.registered_at < f.first_call AND s.seq < f.until_at
JOIN sights t ON t.run_id = s.run_id AND t.example = s.example AND t.member = k.first_server AND t.region = s.region
  AND t.key = s.key AND t.busy_at = s.busy_at
ANTI JOIN meddled m ON m.run_id = s.run_id AND m.example = s.example AND m.region = s.region AND m.key = s.key
ANTI JOIN own_doings d ON d.run_id = s.run_id AND d.example = s.example AND d.client = s.client AND d.region = s.region
  AND d.key = s.key
LEFT JOIN invalidated i ON i.run_id = s.run_id AND i.example = s.example AND i.region = s.region AND i.key = s.key
WHERE NOT (s.what = 'absent' AND t.what = 'invalid' AND coalesce(i.since < s.seq, false))
