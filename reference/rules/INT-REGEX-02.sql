-- requirement: INT-REGEX-02
-- view: black-box
-- empty-start: no
-- only-with: ri_end
-- columns: run_id, example, seq, kind, client, region, interest_kind, interest_spec, status
-- opportunity: a registration for an expression in which a square bracket is never closed; or in which, without square brackets,
--   round ones do not pair
-- violation: it ends well
SELECT run_id, example, seq, region || ', ' || interest_spec AS subject,
  client || ' registers for the expression ' || interest_spec || ': ' || coalesce(status, '') AS witness,
  coalesce(status, '') = 'ok' AS violated
FROM ev
WHERE kind = 'ri_end' AND interest_kind = 'regex' AND replace(interest_spec, chr(92), '') = interest_spec
  AND CASE WHEN replace(interest_spec, chr(91), '') <> interest_spec THEN replace(interest_spec, ']', '') = interest_spec
    ELSE length(replace(interest_spec, '(', '')) <> length(replace(interest_spec, ')', '')) END
