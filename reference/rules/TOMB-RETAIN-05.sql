-- requirement: TOMB-RETAIN-05
-- view: black-box
-- empty-start: yes
-- parts: lasts
-- columns: run_id, example, seq, kind, member, region, key, op, op_id, status
-- opportunity: a member that shows no other change of a key before the last destroy of it: it did not hold the key
--   when the destroy came. The caller has shown all other changes before. And a destroy that a member calls of a key
--   before anything but reads and destroys is called on it
-- violation: it shows another change behind the destroy, or holds the key at the quiet end; the destroy returns normally
WITH brought AS (
  SELECT run_id, example, region, key, min(seq) AS called_at
  FROM ev
  WHERE kind = 'op_begin' AND key IS NOT NULL AND op NOT IN ('get', 'contains_key', 'destroy')
  GROUP BY run_id, example, region, key
)
SELECT run_id, example, seq, subject, witness, others_behind OR what <> ought AS violated
FROM lasts
WHERE op = 'destroy' AND NOT own AND NOT others_before AND (shown OR others = 0)
UNION ALL
SELECT e.run_id, e.example, e.seq, e.region || '/' || e.key AS subject,
  'destroy on ' || e.member || ' of a key that nothing has put: ' || e.status AS witness, e.status = 'ok' AS violated
FROM ev e
JOIN kept k ON k.run_id = e.run_id AND k.example = e.example AND k.region = e.region
LEFT JOIN brought b ON b.run_id = e.run_id AND b.example = e.example AND b.region = e.region AND b.key = e.key AND b.called_at < e.seq
WHERE e.kind = 'op_end' AND e.op = 'destroy' AND e.status IN ('ok', 'absent') AND b.key IS NULL
