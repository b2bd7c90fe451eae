-- requirement: CFG-CHECKS-02
-- view: black-box
-- empty-start: no
-- only-with: config
-- columns: run_id, example, seq, kind, member, region, checks, persistent, name, value, status
-- opportunity: a member was to host a persistent region with checking off
-- violation: it hosts it so
SELECT run_id, example, seq, region AS subject,
  member || ' was to host it on disk without checking: ' || coalesce(status, '') || coalesce(', it checks: ' || value, '') AS witness,
  coalesce(value, '') = 'false' AS violated
FROM ev
WHERE kind = 'config' AND name = 'concurrency-checks-enabled' AND persistent AND NOT checks
