-- requirement: WANC-RESOLVER-06
-- view: black-box
-- empty-start: no
-- only-with: resolver_call
-- parts:
-- columns: run_id, example, seq, kind, site, member, region, key, token, value_before, dsid, stored_dsid
-- opportunity: a call of a conflict resolver that tells an update, and the value stored, by the token of a call
-- violation: the site told of either is not the one that called it
WITH called AS (
  SELECT run_id, example, region, key, token, min(site) AS site
  FROM ev
  WHERE kind = 'op_begin' AND token IS NOT NULL
  GROUP BY run_id, example, region, key, token
)
SELECT c.run_id, c.example, c.seq, c.region || '/' || c.key AS subject,
  'the resolver of ' || c.member || ' was told of ' || c.token || ' of site ' || CAST(c.dsid AS STRING) || ' over '
    || c.value_before || ' of site ' || CAST(c.stored_dsid AS STRING) AS witness,
  n.site <> c.dsid OR o.site <> c.stored_dsid AS violated
FROM ev c
JOIN called n ON n.run_id = c.run_id AND n.example = c.example AND n.region = c.region AND n.key = c.key
  AND n.token = c.token
JOIN called o ON o.run_id = c.run_id AND o.example = c.example AND o.region = c.region AND o.key = c.key
  AND o.token = c.value_before
WHERE c.kind = 'resolver_call'
