-- requirement: SER-FAILOVER-02
-- view: black-box
-- empty-start: no
-- only-with: queue_host
-- parts: passed, changes, gone
-- columns: run_id, example, seq, site, member, region, key, op_id, origin_site
-- opportunity: two neighbours among a key's first showings at another site, in an example in which a member
--   of their own site was lost, and one of them had returned before the other was called; no order policy by
--   threads
-- violation: the older one is first shown after the newer one
WITH ways AS (
  SELECT DISTINCT run_id, example, region, from_site, to_site
  FROM feeds
),
by_thread AS (
  SELECT DISTINCT run_id, example, region
  FROM feeds
  WHERE lanes > 1 AND ordered_by = 'thread'
)
SELECT n.run_id, n.example, n.shown_at AS seq, n.region || '/' || n.key AS subject,
  'operation ' || CAST(n.earlier AS STRING) || ' before ' || CAST(n.op_id AS STRING) || ' on ' || n.member
    || CASE WHEN two.returned_at < one.called_at THEN ', which had returned before that was called' ELSE '' END AS witness,
  two.returned_at < one.called_at AS violated
FROM neighbours n
JOIN kept k ON k.run_id = n.run_id AND k.example = n.example AND k.region = n.region AND k.checked
JOIN changes one ON one.run_id = n.run_id AND one.example = n.example AND one.op_id = n.earlier AND one.effect = 'sure'
JOIN changes two ON two.run_id = n.run_id AND two.example = n.example AND two.op_id = n.op_id AND two.effect = 'sure'
SEMI JOIN ways w ON w.run_id = n.run_id AND w.example = n.example AND w.region = n.region
  AND w.from_site = n.origin_site AND w.to_site = n.site
SEMI JOIN gone g ON g.run_id = n.run_id AND g.example = n.example AND g.site = n.origin_site
ANTI JOIN by_thread b ON b.run_id = n.run_id AND b.example = n.example AND b.region = n.region
WHERE (two.returned_at < one.called_at OR one.returned_at < two.called_at)
  AND (k.acknowledged OR one.thread = two.thread)
