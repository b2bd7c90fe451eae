-- requirement: SER-FAILOVER-03
-- view: internal
-- empty-start: no
-- only-with: role
-- columns: run_id, example, seq, kind, member, queue, role, eid
-- opportunity: an event that one member sent before another one became primary, whose copy of it was seen to
--   be removed before or to be sent again after
-- violation: both: the new primary had removed it and sends it again
WITH takeovers AS (
  SELECT run_id, example, member, queue, min(seq) AS led_from
  FROM ev
  WHERE kind = 'role' AND role = 'primary'
  GROUP BY run_id, example, member, queue
),
offered AS (
  SELECT run_id, example, member, queue, eid, min(seq) AS first_at, max(seq) AS last_at
  FROM ev
  WHERE kind IN ('send', 'async_event')
  GROUP BY run_id, example, member, queue, eid
),
removed AS (
  SELECT run_id, example, member, queue, eid, min(seq) AS removed_at
  FROM ev
  WHERE kind = 'rm'
  GROUP BY run_id, example, member, queue, eid
),
again AS (
  SELECT t.run_id, t.example, t.member, t.queue, t.led_from, o.eid, r.removed_at,
    CASE WHEN n.last_at > t.led_from THEN n.last_at END AS again_at
  FROM takeovers t
  JOIN offered o ON o.run_id = t.run_id AND o.example = t.example AND o.queue = t.queue AND o.member <> t.member
    AND o.first_at < t.led_from
  LEFT JOIN offered n ON n.run_id = t.run_id AND n.example = t.example AND n.queue = t.queue AND n.member = t.member
    AND n.eid = o.eid
  LEFT JOIN removed r ON r.run_id = t.run_id AND r.example = t.example AND r.queue = t.queue AND r.member = t.member
    AND r.eid = o.eid
)
SELECT run_id, example, coalesce(again_at, removed_at) AS seq, queue || ' on ' || member AS subject,
  eid || CASE WHEN removed_at < led_from THEN ' removed before the takeover' ELSE '' END
    || CASE WHEN again_at IS NOT NULL THEN ' sent again after it' ELSE '' END AS witness,
  coalesce(removed_at < led_from AND again_at IS NOT NULL, false) AS violated
FROM again
WHERE removed_at < led_from OR again_at IS NOT NULL
