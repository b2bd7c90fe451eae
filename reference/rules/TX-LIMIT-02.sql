-- requirement: TX-LIMIT-02
-- view: black-box
-- empty-start: no
-- only-with: tx_begin
-- parts: transacted
-- columns: run_id, example, seq, kind, member, region, key, policy, checks, state_after
-- opportunity: a destroy or invalidate in a transaction on a member that is normal, preloaded or empty, with checks
--   on, that has returned; and what a replicate holds at the quiet end of a key that it was the last to change, in
--   the only transaction of the example, committed, every other change of the key having returned before
-- violation: it was refused; the replicate holds the key, or holds it with a value
WITH lesser AS (
  SELECT run_id, example, member, region
  FROM ev
  WHERE kind = 'region_host' AND policy IN ('normal', 'preloaded', 'empty') AND coalesce(checks, true)
)
SELECT c.run_id, c.example, c.seq, c.region || '/' || c.key AS subject,
  c.op || ' ' || coalesce(c.token, '') || ' on ' || c.member || ' ended ' || c.status AS witness,
  c.status IN ('refused', 'failed') AS violated
FROM tx_changes c
SEMI JOIN lesser l ON l.run_id = c.run_id AND l.example = c.example AND l.member = c.member AND l.region = c.region
WHERE c.op IN ('destroy', 'invalidate') AND c.status IS NOT NULL AND c.status <> 'indefinite'
UNION ALL
SELECT f.run_id, f.example, f.seq, f.region || '/' || f.key AS subject,
  f.member || ' holds it ' || f.state_after || ' after the commit of ' || c.op || ' ' || coalesce(c.token, '') AS witness,
  CASE c.op WHEN 'invalidate' THEN f.state_after = 'valid' ELSE f.state_after <> c.ought END AS violated
FROM last_changes c
SEMI JOIN lesser l ON l.run_id = c.run_id AND l.example = c.example AND l.member = c.member AND l.region = c.region
JOIN ev f ON f.run_id = c.run_id AND f.example = c.example AND f.region = c.region AND f.key = c.key AND f.kind = 'final_value'
SEMI JOIN checked_replicates r ON r.run_id = f.run_id AND r.example = f.example AND r.member = f.member AND r.region = f.region
  AND r.acknowledged
ANTI JOIN outside_transactions o ON o.run_id = c.run_id AND o.example = c.example AND o.region = c.region AND o.key = c.key
  AND o.returned_at > c.called_at
WHERE c.from_last = 1 AND c.sure AND c.op IN ('destroy', 'invalidate')
