-- requirement: WAN-ASYNC-01
-- view: black-box
-- empty-start: no
-- only-with: queue_host
-- parts: feeds, broken, changes, unusual
-- columns: run_id, example, seq, kind, op_id, member, status
-- opportunity: a changing call on a region attached to a queue that cannot send: its link is cut or swallows
--   replies, the other site's receiver is stopped, or it is paused; no gate in the example, the caller lives
-- violation: all its time was given and it did not return, or it returned otherwise than it would have
WITH stuck AS (
  SELECT f.run_id, f.example, f.region, f.from_site, b.what, b.broke_at, b.mended_at
  FROM feeds f
  JOIN broken b ON b.run_id = f.run_id AND b.example = f.example
  WHERE (b.what = 'link' AND b.site = f.from_site AND b.peer = CAST(f.to_site AS STRING))
    OR (b.what = 'stop' AND b.queue = 'receiver' AND b.site = f.to_site)
    OR (b.what = 'pause' AND b.queue = f.queue)
),
waited AS (
  SELECT run_id, example, op_id, min(seq) AS waited_at
  FROM ev
  WHERE kind = 'waited' AND op_id IS NOT NULL
  GROUP BY run_id, example, op_id
),
gated AS (
  SELECT DISTINCT run_id, example
  FROM ev
  WHERE kind = 'gate_arm'
),
under AS (
  SELECT c.run_id, c.example, c.region, c.key, c.op, c.op_id, c.member, c.called_at, c.returned_at,
    min(s.what) AS what, max(s.mended_at) AS mended_at
  FROM changes c
  JOIN stuck s ON s.run_id = c.run_id AND s.example = c.example AND s.region = c.region AND s.from_site = c.site
    AND s.broke_at < c.called_at AND c.called_at < s.mended_at
  ANTI JOIN gated g ON g.run_id = c.run_id AND g.example = c.example
  ANTI JOIN unusual u ON u.run_id = c.run_id AND u.example = c.example
  ANTI JOIN gone x ON x.run_id = c.run_id AND x.example = c.example AND x.site = c.site
  GROUP BY c.run_id, c.example, c.region, c.key, c.op, c.op_id, c.member, c.called_at, c.returned_at
),
answer AS (
  SELECT run_id, example, op_id, status
  FROM ev
  WHERE kind = 'op_end'
)
SELECT u.run_id, u.example, coalesce(w.waited_at, u.returned_at, u.called_at) AS seq,
  u.region || '/' || u.key AS subject,
  u.op || ' on ' || u.member || ' during a ' || u.what || ': '
    || CASE WHEN w.waited_at IS NOT NULL THEN 'did not return' ELSE 'ended ' || coalesce(a.status, 'unseen') END AS witness,
  w.waited_at IS NOT NULL OR coalesce(a.status, '') IN ('failed', 'indefinite') AS violated
FROM under u
LEFT JOIN waited w ON w.run_id = u.run_id AND w.example = u.example AND w.op_id = u.op_id AND w.waited_at < u.mended_at
LEFT JOIN answer a ON a.run_id = u.run_id AND a.example = u.example AND a.op_id = u.op_id
WHERE w.waited_at IS NOT NULL OR a.status IS NOT NULL
