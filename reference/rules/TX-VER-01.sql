-- requirement: TX-VER-01
-- view: black-box
-- empty-start: no
-- only-with: tx_begin
-- parts: transacted
-- columns: run_id, example, seq, kind, member, region, key, state_after, value
-- opportunity: what a replicate with checks and acknowledgements holds at the quiet end of a key that a
--   transaction has changed and committed, the only one of the example, every other change of the key having
--   returned before
-- violation: it is not what the last change of the transaction leaves; of an invalidate that may be nothing
SELECT f.run_id, f.example, f.seq, f.region || '/' || f.key AS subject,
  f.member || ' holds ' || f.state_after || coalesce(' ' || f.value, '') || ' after the commit of ' || c.op || ' ' || c.token AS witness,
  CASE c.op WHEN 'invalidate' THEN f.state_after = 'valid'
    ELSE f.state_after || coalesce(' ' || f.value, '') <> c.ought END AS violated
FROM last_changes c
JOIN ev f ON f.run_id = c.run_id AND f.example = c.example AND f.region = c.region AND f.key = c.key AND f.kind = 'final_value'
SEMI JOIN checked_replicates r ON r.run_id = f.run_id AND r.example = f.example AND r.member = f.member AND r.region = f.region
  AND r.acknowledged
ANTI JOIN outside_transactions o ON o.run_id = c.run_id AND o.example = c.example AND o.region = c.region AND o.key = c.key
  AND o.returned_at > c.called_at
WHERE c.from_last = 1 AND c.sure
