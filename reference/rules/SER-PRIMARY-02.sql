-- requirement: SER-PRIMARY-02
-- view: black-box
-- empty-start: no
-- only-with: queue_host
-- parts: unusual, gone
-- columns: run_id, example, seq, kind, member, queue, role, parallel
-- opportunity: a member that was found to be primary of a serial queue, and is looked at again, in an example in which no member
--   pauses and it was not lost
-- violation: it is found to be secondary then
WITH serial_hosts AS (
  SELECT DISTINCT run_id, example, queue, member
  FROM ev
  WHERE kind = 'queue_host' AND NOT coalesce(parallel, false)
),
found AS (
  SELECT r.run_id, r.example, r.seq, r.queue, r.member, r.role,
    lag(r.role) OVER (PARTITION BY r.run_id, r.example, r.queue, r.member ORDER BY r.seq NULLS LAST) AS role_before
  FROM ev r
  SEMI JOIN serial_hosts h ON h.run_id = r.run_id AND h.example = r.example AND h.queue = r.queue AND h.member = r.member
  ANTI JOIN gone g ON g.run_id = r.run_id AND g.example = r.example AND g.member = r.member
  WHERE r.kind = 'role'
)
SELECT f.run_id, f.example, f.seq, f.queue || ' on ' || f.member AS subject,
  'primary before, ' || f.role || ' now, and never lost' AS witness, f.role <> 'primary' AS violated
FROM found f
ANTI JOIN unusual u ON u.run_id = f.run_id AND u.example = f.example
WHERE f.role_before = 'primary'
