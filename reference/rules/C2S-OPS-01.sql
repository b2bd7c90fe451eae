-- requirement: C2S-OPS-01
-- view: black-box
-- empty-start: no
-- only-with: client_start
-- parts: sureties
-- columns: state_after
-- opportunity: a look at what a client's server holds of a key behind the return of the client's put or
--   create, with no further change of the key called before
-- violation: the server holds something else than was written
WITH looked AS (
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
SELECT s.run_id, s.example, u.seq, s.region || '/' || s.key AS subject,
  u.member || ' holds ' || u.what || ' after ' || s.op || ' ' || coalesce(s.token, '') || ' of ' || s.member AS witness,
  u.what <> 'valid ' || s.token AS violated
FROM sureties s
JOIN undisturbed u ON u.run_id = s.run_id AND u.example = s.example AND u.op_id = s.op_id AND u.called_at = s.called_at
WHERE s.op IN ('put', 'create')
