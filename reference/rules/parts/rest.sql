-- part: The last settle point at which nothing was held back by a gate or by anything out of order.
-- columns: run_id, example, seq, kind, amount
-- needs: broken
rest AS (
  SELECT s.run_id, s.example, max(s.seq) AS rest_at
  FROM ev s
  ANTI JOIN broken b ON b.run_id = s.run_id AND b.example = s.example AND b.broke_at < s.seq AND s.seq < b.mended_at
  WHERE s.kind = 'settle' AND s.amount = 0
  GROUP BY s.run_id, s.example
)
