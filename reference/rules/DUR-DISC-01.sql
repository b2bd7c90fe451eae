-- requirement: DUR-DISC-01
-- view: black-box
-- empty-start: no
-- only-with: client_close_begin
-- parts: stored
-- columns: seq, kind, op_id
-- opportunity: a put or create called after a durable client has closed, and returned before it comes back,
--   on a key that it had registered for
-- violation: the client is told of it meanwhile
SELECT s.run_id, s.example, coalesce(min(t.seq), s.returned_at) AS seq, s.region || '/' || s.key AS subject,
  s.op || ' ' || coalesce(s.token, '') || ' on ' || s.member || ', told to ' || l.client || ' '
    || CAST(count(t.seq) AS STRING) || ' times while that was closed' AS witness,
  count(t.seq) > 0 AS violated
FROM singles s
JOIN lives l ON l.run_id = s.run_id AND l.example = s.example AND l.client <> s.member
  AND (l.ends_how = 'kept' OR l.ends_how = 'closed') AND s.called_at > l.ended_at AND s.returned_at < l.back_at
JOIN life_wants w ON w.run_id = s.run_id AND w.example = s.example AND w.client = l.client AND w.begun_at = l.begun_at
  AND w.region = s.region AND w.key = s.key
LEFT JOIN ev t ON t.run_id = s.run_id AND t.example = s.example AND t.client = l.client AND t.op_id = s.op_id
  AND t.kind = 'listener' AND t.seq > l.ended_at AND t.seq < l.back_at
GROUP BY s.run_id, s.example, s.op_id, s.op, s.token, s.member, s.region, s.key, s.returned_at, l.client, l.begun_at
