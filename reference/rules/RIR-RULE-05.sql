-- requirement: RIR-RULE-05
-- view: black-box
-- empty-start: yes
-- only-with: ri_end
-- columns: run_id, example, seq, kind, client, region, key, interest_kind, interest_spec, state_after, status
-- opportunity: a registration for keys or for all of a region on which nothing has been called, no member being lost.
--   And what the client holds of a key of the region behind a registration, before anything is called there
-- violation: it does not end well; the client has the key
WITH calls AS (
  SELECT run_id, example, region, min(seq) AS called_at
  FROM ev
  WHERE kind IN ('op_begin', 'ri_call')
  GROUP BY run_id, example, region
),
registrations AS (
  SELECT r.run_id, r.example, r.seq, r.client, r.region, r.interest_kind, r.interest_spec, r.status
  FROM ev r
  LEFT JOIN calls c ON c.run_id = r.run_id AND c.example = r.example AND c.region = r.region
  ANTI JOIN ev d ON d.run_id = r.run_id AND d.example = r.example AND d.kind IN ('crash', 'member_stop') AND d.seq < r.seq
  WHERE r.kind = 'ri_end' AND coalesce(c.called_at, r.seq + 1) > r.seq
)
SELECT run_id, example, seq, region AS subject,
  client || ' registers for ' || interest_kind || ' ' || coalesce(interest_spec, '') || ' of an empty region: ' || coalesce(status, '')
    AS witness,
  coalesce(status, '') <> 'ok' AS violated
FROM registrations
WHERE interest_kind <> 'regex'
UNION ALL
SELECT h.run_id, h.example, h.seq, h.region || '/' || h.key AS subject,
  h.client || ' holds it ' || h.state_after || ' of an empty region' AS witness, h.state_after <> 'absent' AS violated
FROM ev h
LEFT JOIN calls c ON c.run_id = h.run_id AND c.example = h.example AND c.region = h.region
SEMI JOIN registrations r ON r.run_id = h.run_id AND r.example = h.example AND r.client = h.client AND r.region = h.region
  AND r.seq < h.seq
WHERE h.kind IN ('content', 'final_value') AND coalesce(c.called_at, h.seq + 1) > h.seq
