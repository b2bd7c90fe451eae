-- part: Neighbours among the events that a listener received for the first time, of operations one of which returned
--   before the other was called: of one key, or of one thread; of members that were not lost.
-- columns:
-- needs: owed_offers, gone
first_offers AS (
  SELECT run_id, example, queue, member, op_id, min(batch) AS batch
  FROM offers
  GROUP BY run_id, example, queue, member, op_id
),
placed_offers AS (
  SELECT f.run_id, f.example, f.queue, f.member, f.op_id, f.batch, o.batch_pos, o.seq, h.in_parallel, h.region, h.key, h.thread,
    h.called_at, h.returned_at, h.region || '/' || h.key AS of_key, h.acknowledged
  FROM first_offers f
  JOIN offers o ON o.run_id = f.run_id AND o.example = f.example AND o.queue = f.queue AND o.member = f.member
    AND o.batch = f.batch AND o.op_id = f.op_id
  JOIN heard_calls h ON h.run_id = f.run_id AND h.example = f.example AND h.queue = f.queue AND h.op_id = f.op_id
  ANTI JOIN gone g ON g.run_id = f.run_id AND g.example = f.example AND g.member = f.member
),
offers_in_turn AS (
  SELECT run_id, example, queue, member, seq, in_parallel, of_key AS of_what, called_at, returned_at, op_id,
    lag(op_id) OVER (
      PARTITION BY run_id, example, queue, member, region, key ORDER BY batch NULLS LAST, batch_pos NULLS LAST
    ) AS earlier,
    lag(called_at) OVER (
      PARTITION BY run_id, example, queue, member, region, key ORDER BY batch NULLS LAST, batch_pos NULLS LAST
    ) AS earlier_called_at
  FROM placed_offers
  UNION ALL
  SELECT run_id, example, queue, member, seq, in_parallel, 'thread ' || thread AS of_what, called_at, returned_at, op_id,
    lag(op_id) OVER (
      PARTITION BY run_id, example, queue, member, thread ORDER BY batch NULLS LAST, batch_pos NULLS LAST
    ) AS earlier,
    lag(called_at) OVER (
      PARTITION BY run_id, example, queue, member, thread ORDER BY batch NULLS LAST, batch_pos NULLS LAST
    ) AS earlier_called_at
  FROM placed_offers
  WHERE NOT in_parallel AND acknowledged
),
heard_in_turn AS (
  SELECT run_id, example, seq, in_parallel, called_at, queue || ' on ' || member || ', ' || of_what AS subject,
    'operation ' || CAST(earlier AS STRING) || ' before ' || CAST(op_id AS STRING)
      || CASE WHEN returned_at < earlier_called_at THEN ', which had returned before that was called' ELSE '' END AS witness,
    returned_at < earlier_called_at AS turned
  FROM offers_in_turn
  WHERE earlier IS NOT NULL
)
