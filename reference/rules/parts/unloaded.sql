-- part: What a durable client holds at rest of a key all changes of which were kept for it until it was ready, and
--   that no registration can have loaded in that life.
-- columns: run_id, example, seq, kind, client, region, key, interest_policy, value, state_after
-- needs: stored
called_first AS (
  SELECT run_id, example, region, key, min(seq) AS first_call
  FROM ev
  WHERE kind = 'op_begin'
  GROUP BY run_id, example, region, key
),
loaded AS (
  SELECT k.run_id, k.example, k.client, k.region, k.key, k.seq AS loaded_at
  FROM ev k
  JOIN called_first f ON f.run_id = k.run_id AND f.example = k.example AND f.region = k.region AND f.key = k.key
    AND f.first_call < k.seq
  WHERE k.kind = 'ri_key' AND k.interest_policy <> 'none'
),
unloaded AS (
  SELECT q.run_id, q.example, c.seq, q.region, q.key, q.left_how, c.state_after AS state,
    q.client || ' holds ' || c.state_after || coalesce(' ' || c.value, '') || ' behind ' || q.witness AS witness
  FROM stored q
  JOIN ev c ON c.run_id = q.run_id AND c.example = q.example AND c.client = q.client AND c.region = q.region
    AND c.key = q.key AND c.seq > q.rest_at AND c.seq < q.ended_at AND c.kind IN ('content', 'final_value')
  ANTI JOIN loaded b ON b.run_id = q.run_id AND b.example = q.example AND b.client = q.client AND b.region = q.region
    AND b.key = q.key AND b.loaded_at > q.begun_at AND b.loaded_at < c.seq
  ANTI JOIN changes o ON o.run_id = q.run_id AND o.example = q.example AND o.region = q.region AND o.key = q.key
    AND o.effect <> 'none' AND o.over_at > q.ready_at
)
