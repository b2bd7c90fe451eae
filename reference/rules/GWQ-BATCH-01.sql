-- requirement: GWQ-BATCH-01
-- view: black-box
-- empty-start: no
-- only-with: dispatch_begin
-- columns: run_id, example, seq, kind, member, queue, batch_size, tx_id
-- opportunity: a batch handed on by a queue whose batch size is known, in an example without transactions
-- violation: it holds no event, or more than the batch size
WITH sizes AS (
  SELECT run_id, example, queue, max(batch_size) AS most
  FROM ev
  WHERE kind = 'queue_host' AND batch_size IS NOT NULL
  GROUP BY run_id, example, queue
),
grouped AS (
  SELECT DISTINCT run_id, example
  FROM ev
  WHERE kind = 'tx_begin' OR tx_id IS NOT NULL
)
SELECT d.run_id, d.example, d.seq, d.queue || coalesce(' on ' || d.member, '') AS subject,
  'a batch of ' || CAST(d.batch_size AS STRING) || ', at most ' || CAST(s.most AS STRING) AS witness,
  d.batch_size < 1 OR d.batch_size > s.most AS violated
FROM ev d
JOIN sizes s ON s.run_id = d.run_id AND s.example = d.example AND s.queue = d.queue
ANTI JOIN grouped g ON g.run_id = d.run_id AND g.example = d.example
WHERE d.kind = 'dispatch_begin' AND d.batch_size IS NOT NULL
