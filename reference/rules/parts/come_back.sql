-- part: Pairs of puts and creates of one thread or key of a site all of whose members died and run again, of a serial
--   sender on disk with one dispatcher, where one had returned before the other was called; and whether a member of
--   the other site shows the later one first. Logs in total order, acknowledged regions.
-- columns: run_id, example, seq, kind, site, member, region, key, op_id, thread, log_pos, order_strength
-- needs: reborn
total_logs AS (
  SELECT DISTINCT run_id, example
  FROM ev
  WHERE kind = 'example_begin' AND order_strength = 'total'
),
late_events AS (
  SELECT f.run_id, f.example, f.op_id, f.region, f.key, f.called_at, f.returned_at, f.queue, f.site, f.to_site, b.thread,
    s.first_at, s.all_started_at
  FROM fed f
  JOIN reborn_sites s ON s.run_id = f.run_id AND s.example = f.example AND s.site = f.site
  JOIN ev b ON b.run_id = f.run_id AND b.example = f.example AND b.op_id = f.op_id AND b.kind = 'op_begin'
  SEMI JOIN total_logs t ON t.run_id = f.run_id AND t.example = f.example
  SEMI JOIN kept k ON k.run_id = f.run_id AND k.example = f.example AND k.region = f.region AND k.acknowledged
  SEMI JOIN feeds w ON w.run_id = f.run_id AND w.example = f.example AND w.queue = f.queue AND w.lanes = 1
),
far_logs AS (
  SELECT l.run_id, l.example, l.op_id, t.member, min(t.log_pos) AS pos, min(t.seq) AS shown_at
  FROM late_events l
  JOIN ev t ON t.run_id = l.run_id AND t.example = l.example AND t.op_id = l.op_id AND t.kind = 'listener' AND t.site = l.to_site
  GROUP BY l.run_id, l.example, l.op_id, t.member
),
come_back AS (
  SELECT a.run_id, a.example, two.shown_at AS seq, a.region || '/' || a.key || ' on ' || two.member AS subject,
    b.called_at > b.all_started_at AS is_new, coalesce(one.pos, two.pos + 1) > two.pos AS turned, a.op_id AS older, b.op_id AS newer,
    'operation ' || CAST(b.op_id AS STRING) || ' on ' || two.member || CASE WHEN coalesce(one.pos, two.pos + 1) > two.pos THEN ' before '
      ELSE ' behind ' END || 'operation ' || CAST(a.op_id AS STRING) || ', which had returned before it was called' AS witness
  FROM reborn a
  JOIN ev c ON c.run_id = a.run_id AND c.example = a.example AND c.op_id = a.op_id AND c.kind = 'op_begin'
  JOIN late_events b ON b.run_id = a.run_id AND b.example = a.example AND b.queue = a.queue AND a.returned_at < b.called_at
    AND (b.thread = c.thread OR (b.region = a.region AND b.key = a.key) OR b.called_at > b.all_started_at)
    AND (b.returned_at < b.first_at OR b.called_at > b.all_started_at)
  JOIN far_logs two ON two.run_id = b.run_id AND two.example = b.example AND two.op_id = b.op_id
  LEFT JOIN far_logs one ON one.run_id = a.run_id AND one.example = a.example AND one.op_id = a.op_id AND one.member = two.member
  WHERE a.on_disk
)
