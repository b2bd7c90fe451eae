-- part: What members held at the quiet end, with nothing out of order.
-- columns: run_id, example, seq, kind, site, member, region, key, state_after, value
-- needs: broken
finals AS (
  SELECT f.run_id, f.example, f.seq, f.site, f.member, f.region, f.key,
    f.state_after || coalesce(' ' || f.value, '') AS what
  FROM ev f
  ANTI JOIN broken b ON b.run_id = f.run_id AND b.example = f.example AND b.broke_at < f.seq AND f.seq < b.mended_at
  WHERE f.kind = 'final_value'
)
