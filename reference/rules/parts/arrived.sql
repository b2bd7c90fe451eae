-- part: What clients hold at rest of keys whose last call was owed to them, and by themselves untouched since.
-- columns: run_id, example, seq, kind, member, client, region, key, op
-- needs: owed, sights
called_last AS (
  SELECT s.run_id, s.example, s.seq, max(b.seq) AS called_at
  FROM sights s
  JOIN ev b ON b.run_id = s.run_id AND b.example = s.example AND b.region = s.region AND b.key = s.key AND b.seq < s.seq
    AND b.kind = 'op_begin' AND (b.op NOT IN ('get', 'contains_key') OR b.client = s.client)
  WHERE s.client IS NOT NULL
  GROUP BY s.run_id, s.example, s.seq
),
arrived AS (
  SELECT o.run_id, o.example, s.seq, o.region, o.key, o.op, o.op_id, o.token, o.client, o.all_bring, o.some_bring, o.with_value, o.fetched,
    o.line_lost_at, o.first_lost_at, o.all_lost_at, o.rest_at, s.state, s.what,
    CASE o.op WHEN 'destroy' THEN 'absent' WHEN 'invalidate' THEN 'invalid' ELSE 'valid ' || o.token END AS ought,
    o.client || ' holds ' || s.what || ' after ' || o.op || ' ' || coalesce(o.token, '') || ' on ' || o.member AS witness
  FROM owed o
  JOIN called_last l ON l.run_id = o.run_id AND l.example = o.example AND l.called_at = o.called_at
  JOIN sights s ON s.run_id = o.run_id AND s.example = o.example AND s.seq = l.seq AND s.client = o.client
  WHERE s.registered_at < o.called_at AND s.seq > o.rest_at
)
