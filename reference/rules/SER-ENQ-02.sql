-- requirement: SER-ENQ-02
-- view: black-box
-- empty-start: yes
-- only-with: queue_host
-- parts: due
-- columns: run_id, example, seq, region, key, op, member
-- opportunity: an operation that returned before another member of its site than the caller's was killed, not
--   yet shown at the other site then; conditions as of WAN-ASYNC-02
-- violation: it was never shown there
SELECT d.run_id, d.example, min(g.gone_at) AS seq, d.region || '/' || d.key AS subject,
  d.op || ' ' || coalesce(d.token, '') || ' returned on ' || d.member || ' before ' || min(g.member) || ' crashed; '
    || CASE WHEN d.shown_at IS NULL THEN 'never' ELSE 'later' END
    || ' shown at site ' || CAST(d.to_site AS STRING) AS witness,
  d.shown_at IS NULL AS violated
FROM due d
JOIN gone g ON g.run_id = d.run_id AND g.example = d.example AND g.site = d.site AND g.member <> d.member
WHERE d.returned_at < g.gone_at AND coalesce(d.shown_at, g.gone_at) >= g.gone_at
GROUP BY d.run_id, d.example, d.region, d.key, d.op, d.op_id, d.token, d.member, d.to_site, d.shown_at
