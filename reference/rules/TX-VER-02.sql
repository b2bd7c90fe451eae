-- requirement: TX-VER-02
-- view: black-box
-- empty-start: no
-- only-with: tx_begin
-- parts: transacted
-- columns: run_id, example, seq, kind, op_id, token, value, tx_id
-- opportunity: a change that was called in a transaction, with a token
-- violation: a holder or caller outside it was told of it, read it or was seen to hold it before the commit
--   was called, or although none was
WITH shown AS (
  SELECT run_id, example, op_id, min(seq) AS seen_at
  FROM ev
  WHERE kind = 'listener' AND op_id IS NOT NULL
  GROUP BY run_id, example, op_id
),
read AS (
  SELECT run_id, example, value, min(seq) AS seen_at
  FROM ev
  WHERE value IS NOT NULL AND (kind IN ('content', 'final_value') OR (kind = 'op_end' AND tx_id IS NULL))
  GROUP BY run_id, example, value
)
SELECT c.run_id, c.example, coalesce(s.seen_at, r.seen_at, c.seq) AS seq, c.region || '/' || c.key AS subject,
  c.op || ' ' || c.token || CASE WHEN t.called_at IS NULL THEN ', never committed' ELSE '' END
    || CASE WHEN coalesce(s.seen_at, r.seen_at) IS NULL THEN ', not seen' ELSE ', seen' END AS witness,
  least(coalesce(s.seen_at, 9223372036854775807), coalesce(r.seen_at, 9223372036854775807))
    < coalesce(t.called_at, 9223372036854775807) AS violated
FROM tx_changes c
JOIN tx_ends t ON t.run_id = c.run_id AND t.example = c.example AND t.tx_id = c.tx_id
LEFT JOIN shown s ON s.run_id = c.run_id AND s.example = c.example AND s.op_id = c.op_id
LEFT JOIN read r ON r.run_id = c.run_id AND r.example = c.example AND r.value = c.token
WHERE c.token IS NOT NULL
