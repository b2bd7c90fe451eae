-- part: What a site holds of a key at the quiet end where the members read there agree; the region checks, and every
--   member keeps it whole.
-- columns: run_id, example, seq, site, member, region, key
-- needs: finals, rest, kept
agreed AS (
  SELECT h.run_id, h.example, h.site, h.region, h.key, max(h.seq) AS seq, min(h.what) AS what,
    min(h.member) AS member
  FROM finals h
  JOIN rest r ON r.run_id = h.run_id AND r.example = h.example AND r.rest_at < h.seq
  JOIN kept k ON k.run_id = h.run_id AND k.example = h.example AND k.region = h.region AND k.checked
  GROUP BY h.run_id, h.example, h.site, h.region, h.key
  HAVING min(h.what) = max(h.what)
)
