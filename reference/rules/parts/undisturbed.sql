-- part: Looks at what a client's server holds of a key behind the return of the client's own operation, with no
--   further change of the key called before.
-- columns: run_id, example, seq, kind, region, key, member, op_id, value, state_after
-- needs: sureties
looked AS (
  SELECT s.run_id, s.example, s.op_id, c.seq, c.state_after || coalesce(' ' || c.value, '') AS what, c.member
  FROM sureties s
  JOIN ev c ON c.run_id = s.run_id AND c.example = s.example AND c.member = s.by_server AND c.region = s.region
    AND c.key = s.key AND c.seq > s.returned_at AND c.kind IN ('content', 'final_value')
  WHERE s.of_client
),
undisturbed AS (
  SELECT l.run_id, l.example, l.op_id, l.seq, l.what, l.member, max(b.called_at) AS called_at
  FROM looked l
  JOIN sureties o ON o.run_id = l.run_id AND o.example = l.example AND o.op_id = l.op_id
  JOIN turns b ON b.run_id = l.run_id AND b.example = l.example AND b.region = o.region AND b.key = o.key
    AND b.called_at < l.seq
  GROUP BY l.run_id, l.example, l.op_id, l.seq, l.what, l.member
)
