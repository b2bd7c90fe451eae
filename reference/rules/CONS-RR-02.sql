-- requirement: CONS-RR-02
-- view: black-box
-- empty-start: no
-- columns: run_id, example, seq, kind, member, region, key, op, op_id, policy, checks, status, error, detail
-- opportunity: an update that returned while an update of the same key was under way on another member, which
--   a listener was told of: what took no effect is no conflict; replicated region with checks on, no member
--   lost, no link cut
-- violation: it did not return normally
WITH hosts AS (
  SELECT run_id, example, region, member
  FROM ev
  WHERE kind = 'region_host' AND policy = 'replicate' AND coalesce(checks, true)
),
disturbed AS (
  SELECT DISTINCT run_id, example
  FROM ev
  WHERE kind IN ('crash', 'member_stop', 'member_pause', 'link', 'inject')
    OR (kind = 'example_end' AND status = 'adapter error')
),
answer AS (
  SELECT run_id, example, op_id, seq, status, error, detail
  FROM ev
  WHERE kind = 'op_end'
),
called AS (
  SELECT c.run_id, c.example, c.region, c.key, c.member, c.op, c.op_id, c.seq AS called_at,
    coalesce(a.seq, 9223372036854775807) AS returned_at, a.status, coalesce(a.error, a.detail, '') AS words
  FROM ev c
  LEFT JOIN answer a ON a.run_id = c.run_id AND a.example = c.example AND a.op_id = c.op_id
  WHERE c.kind = 'op_begin' AND c.op IN ('put', 'create', 'put_if_absent', 'replace', 'invalidate', 'destroy')
),
shown AS (
  SELECT DISTINCT run_id, example, op_id
  FROM ev
  WHERE kind = 'listener' AND op_id IS NOT NULL
),
contested AS (
  SELECT DISTINCT one.run_id, one.example, one.region, one.key, one.member, one.op, one.op_id, one.returned_at,
    one.status, one.words
  FROM called one
  JOIN called two ON two.run_id = one.run_id AND two.example = one.example AND two.region = one.region
    AND two.key = one.key AND two.member <> one.member
    AND two.called_at < one.returned_at AND one.called_at < two.returned_at
  SEMI JOIN shown s ON s.run_id = two.run_id AND s.example = two.example AND s.op_id = two.op_id
  WHERE one.status IS NOT NULL
)
SELECT c.run_id, c.example, c.returned_at AS seq, c.region || '/' || c.key AS subject,
  c.op || ' on ' || c.member || ' ended ' || c.status || ' ' || c.words AS witness,
  c.status IN ('failed', 'indefinite', 'refused') AS violated
FROM contested c
SEMI JOIN hosts h ON h.run_id = c.run_id AND h.example = c.example AND h.region = c.region AND h.member = c.member
ANTI JOIN disturbed d ON d.run_id = c.run_id AND d.example = c.example
