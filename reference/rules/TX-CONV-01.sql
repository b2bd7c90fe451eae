-- requirement: TX-CONV-01
-- view: black-box
-- empty-start: no
-- only-with: tx_begin
-- parts: transacted
-- columns: run_id, example, seq, kind, member, region, key, state_after, value
-- opportunity: a key of which a change that was committed and one outside any transaction were under way at one time,
--   read at the quiet end on two or more replicates with checks on
-- violation: they do not hold the same
WITH contested AS (
  SELECT DISTINCT c.run_id, c.example, c.region, c.key
  FROM tx_changes c
  JOIN tx_ends t ON t.run_id = c.run_id AND t.example = c.example AND t.tx_id = c.tx_id AND t.committed
  JOIN outside_transactions o ON o.run_id = c.run_id AND o.example = c.example AND o.region = c.region AND o.key = c.key
    AND o.called_at < t.returned_at AND o.returned_at > t.called_at
),
held AS (
  SELECT run_id, example, member, region, key, seq, state_after || coalesce(' ' || value, '') AS what
  FROM ev
  WHERE kind = 'final_value'
)
SELECT h.run_id, h.example, max(h.seq) AS seq, h.region || '/' || h.key AS subject,
  min(h.what || ' on ' || h.member) || ', ' || max(h.what || ' on ' || h.member) AS witness,
  min(h.what) <> max(h.what) AS violated
FROM held h
JOIN contested c ON c.run_id = h.run_id AND c.example = h.example AND c.region = h.region AND c.key = h.key
SEMI JOIN checked_replicates r ON r.run_id = h.run_id AND r.example = h.example AND r.member = h.member AND r.region = h.region
GROUP BY h.run_id, h.example, h.region, h.key
HAVING count(DISTINCT h.member) > 1
