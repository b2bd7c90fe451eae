-- part: Looks at copies of serial queues while the link of the queue was broken, behind a moment at which all
--   that can come to rest had come to rest since; and how many events must be in the queue.
-- columns: run_id, example, seq, kind, member, queue, amount
-- needs: fed, broken, looks, unusual
settled AS (
  SELECT run_id, example, seq AS settled_at
  FROM ev
  WHERE kind = 'settle' AND amount = 0
),
watched AS (
  SELECT l.run_id, l.example, l.seq, l.member, l.queue, l.role, l.amount, b.broke_at, b.status,
    max(s.settled_at) AS settled_at
  FROM looks l
  JOIN feeds f ON f.run_id = l.run_id AND f.example = l.example AND f.queue = l.queue AND NOT f.in_parallel
    AND NOT f.leaves_out
  JOIN broken b ON b.run_id = l.run_id AND b.example = l.example AND b.what = 'link' AND b.site = f.from_site
    AND b.peer = CAST(f.to_site AS STRING) AND b.broke_at < l.seq AND l.seq < b.mended_at
  JOIN settled s ON s.run_id = l.run_id AND s.example = l.example AND b.broke_at < s.settled_at AND s.settled_at < l.seq
  ANTI JOIN gone g ON g.run_id = l.run_id AND g.example = l.example AND g.member = l.member AND g.gone_at < l.seq
  ANTI JOIN unusual u ON u.run_id = l.run_id AND u.example = l.example
  GROUP BY l.run_id, l.example, l.seq, l.member, l.queue, l.role, l.amount, b.broke_at, b.status
),
unanswered AS (
  SELECT w.run_id, w.example, w.seq, w.role, w.queue || ' on ' || w.member AS subject,
    'holds ' || CAST(w.amount AS STRING) || ' of ' || CAST(count(DISTINCT d.op_id) AS STRING)
      || ' events that no receiver can have acknowledged: link ' || w.status AS witness,
    w.amount < count(DISTINCT d.op_id) AS lacks_some
  FROM watched w
  JOIN fed d ON d.run_id = w.run_id AND d.example = w.example AND d.queue = w.queue
    AND w.broke_at < d.called_at AND d.returned_at < w.settled_at
  GROUP BY w.run_id, w.example, w.seq, w.member, w.queue, w.role, w.amount, w.status
)
