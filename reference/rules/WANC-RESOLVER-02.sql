-- requirement: WANC-RESOLVER-02
-- view: black-box
-- empty-start: no
-- only-with: resolver_call
-- parts:
-- columns: run_id, example, seq, kind, site, member, region, key, token, dsid, stored_dsid, origin_site
-- opportunity: a call of a conflict resolver
-- violation: the event is of the site that changed the entry last, was called at its own site, or finds nothing recorded
SELECT run_id, example, seq, region || '/' || key AS subject,
  'the resolver of ' || member || ' was asked about ' || coalesce(token, 'an event') || ' of site '
    || CAST(dsid AS STRING) || ' over what is of site ' || CAST(stored_dsid AS STRING) AS witness,
  dsid = stored_dsid OR stored_dsid = 0 OR coalesce(origin_site = site, false) AS violated
FROM ev
WHERE kind = 'resolver_call'
