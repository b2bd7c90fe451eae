-- requirement: C2S-OPS-04
-- view: black-box
-- empty-start: no
-- only-with: client_start
-- columns: run_id, example, seq, kind, member, client, region, op, op_id, status, question
-- opportunity: a look at a region of a member that never gave it up, behind a client's destroy of the region
--   that ended well; or behind its local destroy, with no call of a destroy of it
-- violation: the member still has it; the member has it no more
WITH calls AS (
  SELECT b.run_id, b.example, b.client, b.region, b.op, b.op_id, e.seq AS over_at
  FROM ev b
  JOIN ev e ON e.run_id = b.run_id AND e.example = b.example AND e.op_id = b.op_id AND e.kind = 'op_end' AND e.status = 'ok'
  SEMI JOIN ev k ON k.run_id = b.run_id AND k.example = b.example AND k.kind = 'client_start' AND k.client = b.client
  WHERE b.kind = 'op_begin' AND b.client IS NOT NULL AND b.op IN ('destroy_region', 'local_destroy_region')
),
destroyed AS (
  SELECT DISTINCT run_id, example, region
  FROM ev
  WHERE kind = 'op_begin' AND op = 'destroy_region'
),
given_up AS (
  SELECT DISTINCT run_id, example, member, region
  FROM ev
  WHERE kind IN ('region_close', 'crash', 'member_stop') AND question IS NULL AND member IS NOT NULL
),
looks_at AS (
  SELECT run_id, example, member, region, seq, kind
  FROM ev
  WHERE kind IN ('contents_read', 'region_close') AND question IS NOT NULL AND member IS NOT NULL
)
SELECT c.run_id, c.example, l.seq, c.region AS subject,
  l.member || CASE l.kind WHEN 'region_close' THEN ' has it no more after ' ELSE ' has it after ' END || c.op || ' of ' || c.client
    AS witness,
  CASE c.op WHEN 'destroy_region' THEN l.kind = 'contents_read' ELSE l.kind = 'region_close' END AS violated
FROM calls c
JOIN looks_at l ON l.run_id = c.run_id AND l.example = c.example AND l.region = c.region AND l.seq > c.over_at
ANTI JOIN given_up g ON g.run_id = l.run_id AND g.example = l.example AND g.member = l.member
  AND coalesce(g.region, l.region) = l.region
ANTI JOIN destroyed d ON d.run_id = c.run_id AND d.example = c.example AND d.region = c.region
  AND c.op = 'local_destroy_region'
