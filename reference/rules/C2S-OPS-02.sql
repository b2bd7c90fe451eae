-- requirement: C2S-OPS-02
-- view: black-box
-- empty-start: no
-- only-with: client_start
-- parts: undisturbed
-- columns: state_after
-- opportunity: a look at what a client's server holds of a key behind the return of the client's destroy,
--   with no further change of the key called before
-- violation: the server still has the key
SELECT s.run_id, s.example, u.seq, s.region || '/' || s.key AS subject,
  u.member || ' holds ' || u.what || ' after ' || s.op || ' ' || coalesce(s.token, '') || ' of ' || s.member AS witness,
  u.what <> 'absent' AS violated
FROM sureties s
JOIN undisturbed u ON u.run_id = s.run_id AND u.example = s.example AND u.op_id = s.op_id AND u.called_at = s.called_at
WHERE s.op IN ('destroy')
