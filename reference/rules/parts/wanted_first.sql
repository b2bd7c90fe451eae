-- part: Keys that all registrations of a client covered with values before anything was called on them, from
--   the first call until the first of these registrations was withdrawn.
-- columns: run_id, example, seq, kind, client, region, key
-- needs: sureties, wants
first_calls AS (
  SELECT run_id, example, region, key, min(called_at) AS first_call
  FROM turns
  GROUP BY run_id, example, region, key
),
wanted_first AS (
  SELECT w.run_id, w.example, w.client, w.region, w.key, min(w.until_at) AS until_at, min(b.first_call) AS first_call
  FROM wants w
  JOIN first_calls b ON b.run_id = w.run_id AND b.example = w.example AND b.region = w.region AND b.key = w.key
    AND w.from_at < b.first_call
  GROUP BY w.run_id, w.example, w.client, w.region, w.key
  HAVING bool_and(w.brings)
)
