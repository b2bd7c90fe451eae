-- requirement: FO-NONHA-03
-- view: black-box
-- empty-start: no
-- only-with: client_start
-- parts: sights, clientele, wants, meddled
-- columns: seq
-- opportunity: what a client holds at the first rest behind the loss of every server that kept its queue,
--   another that it names being alive, of a key that registrations cover: made before, at rest, with
--   nothing called on the key since the loss; and what a member holds then
-- violation: it is not the member's value; nor, where none of them loads values, its key alone if one loads
--   keys, or nothing if none does
WITH loads AS (
  SELECT w.run_id, w.example, w.client, w.region, w.key,
    max(CASE w.loads WHEN 'keys_values' THEN 2 WHEN 'keys' THEN 1 ELSE 0 END) AS most, bool_and(w.brings) AS all_bring
  FROM wants w
  JOIN clientele k ON k.run_id = w.run_id AND k.example = w.example AND k.client = w.client
    AND w.from_at < k.line_lost_at AND w.until_at > k.line_lost_at
  GROUP BY w.run_id, w.example, w.client, w.region, w.key
),
settled AS (
  SELECT run_id, example, seq
  FROM ev
  WHERE kind = 'settle' AND amount = 0
),
under_way AS (
  SELECT b.run_id, b.example, b.region, b.key, max(b.seq) AS called_at
  FROM ev b
  WHERE b.kind = 'op_begin' AND b.op NOT IN ('get', 'contains_key')
  GROUP BY b.run_id, b.example, b.region, b.key
),
calm AS (
  SELECT DISTINCT u.run_id, u.example, u.region, u.key, k.client
  FROM under_way u
  JOIN clientele k ON k.run_id = u.run_id AND k.example = u.example AND u.called_at < k.line_lost_at
  JOIN settled s ON s.run_id = u.run_id AND s.example = u.example AND s.seq > u.called_at AND s.seq < k.line_lost_at
),
there AS (
  SELECT run_id, example, region, key, busy_at, min(what) AS what, max(what) AS what_else, min(member) AS member
  FROM sights
  WHERE member IS NOT NULL
  GROUP BY run_id, example, region, key, busy_at
)
SELECT s.run_id, s.example, s.seq, s.region || '/' || s.key AS subject,
  s.client || ' holds ' || s.what || ' once it has lost its servers; ' || t.member || ' has ' || t.what AS witness,
  s.what <> t.what AND s.what <> CASE WHEN t.what = 'absent' OR l.most = 0 THEN 'absent' WHEN l.most = 1 THEN 'invalid' ELSE t.what END AS violated
FROM sights s
JOIN clientele k ON k.run_id = s.run_id AND k.example = s.example AND k.client = s.client
  AND k.line_lost_at < s.seq AND s.seq < k.all_lost_at AND s.registered_at < k.line_lost_at
JOIN loads l ON l.run_id = s.run_id AND l.example = s.example AND l.client = s.client AND l.region = s.region AND l.key = s.key
SEMI JOIN calm c ON c.run_id = s.run_id AND c.example = s.example AND c.region = s.region AND c.key = s.key
  AND c.client = s.client
ANTI JOIN meddled m ON m.run_id = s.run_id AND m.example = s.example AND m.region = s.region AND m.key = s.key
ANTI JOIN ev g ON g.run_id = s.run_id AND g.example = s.example AND g.client = s.client AND g.kind = 'op_begin'
  AND g.seq > k.line_lost_at AND g.seq < s.seq
JOIN there t ON t.run_id = s.run_id AND t.example = s.example AND t.region = s.region AND t.key = s.key
  AND t.busy_at = s.busy_at AND t.what = t.what_else
