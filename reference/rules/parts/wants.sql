-- part: Spans in which a registration of a client covers a key.
-- columns: run_id, example, seq, kind, client, region, key, interest_kind, interest_spec, interest_policy,
--   receive_values
-- needs:
withdrawn AS (
  SELECT run_id, example, seq, client, region, interest_kind, coalesce(interest_spec, '') AS specified
  FROM ev
  WHERE kind = 'unregister_begin'
),
wants AS (
  SELECT k.run_id, k.example, k.client, k.region, k.key, k.interest_kind AS by_what,
    k.interest_kind || ' ' || coalesce(k.interest_spec, '') AS registration, k.interest_policy AS loads,
    coalesce(k.receive_values, true) AS brings, k.seq AS from_at, coalesce(min(w.seq), 9223372036854775807) AS until_at
  FROM ev k
  LEFT JOIN withdrawn w ON w.run_id = k.run_id AND w.example = k.example AND w.client = k.client
    AND w.region = k.region AND w.interest_kind = k.interest_kind AND w.specified = coalesce(k.interest_spec, '')
    AND w.seq > k.seq
  WHERE k.kind = 'ri_key'
  GROUP BY k.run_id, k.example, k.client, k.region, k.key, k.interest_kind, k.interest_spec, k.interest_policy,
    k.receive_values, k.seq
)
