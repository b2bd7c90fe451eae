-- requirement: WAN-ASYNC-02
-- view: black-box
-- empty-start: yes
-- only-with: queue_host
-- parts: due
-- columns: run_id, example, seq, region, key, op, member
-- opportunity: an operation that returned before its caller's member was killed, not yet shown at the other
--   site then; of a key that one site changes, with no other change of the key under way, at rest with all
--   mended and a sender left
-- violation: it was never shown there
SELECT d.run_id, d.example, g.gone_at AS seq, d.region || '/' || d.key AS subject,
  d.op || ' ' || coalesce(d.token, '') || ' returned on ' || d.member || ', which then crashed; '
    || CASE WHEN d.shown_at IS NULL THEN 'never' ELSE 'later' END
    || ' shown at site ' || CAST(d.to_site AS STRING) AS witness,
  d.shown_at IS NULL AS violated
FROM due d
JOIN gone g ON g.run_id = d.run_id AND g.example = d.example AND g.member = d.member
WHERE d.returned_at < g.gone_at AND coalesce(d.shown_at, g.gone_at) >= g.gone_at
