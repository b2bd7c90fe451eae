-- part: How often clients were told of an operation, with its value, and when; and of which keys not to ask
--   that, since a get may have told of it.
-- columns: run_id, example, seq, kind, client, region, key, op, op_id, event
-- needs:
told AS (
  SELECT run_id, example, client, op_id, count(seq) AS times,
    count(CASE WHEN event IN ('create', 'update') THEN 1 END) AS with_value, min(seq) AS first_at, max(seq) AS last_at
  FROM ev
  WHERE kind = 'listener' AND client IS NOT NULL AND op_id IS NOT NULL
  GROUP BY run_id, example, client, op_id
),
fetched AS (
  SELECT DISTINCT run_id, example, client, region, key
  FROM ev
  WHERE kind = 'op_begin' AND op = 'get' AND client IS NOT NULL
)
