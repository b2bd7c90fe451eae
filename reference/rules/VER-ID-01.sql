-- requirement: VER-ID-01
-- view: black-box
-- empty-start: no
-- parts: ties
-- columns: run_id, example, seq
-- opportunity: a key whose last changes carry one version, read at the quiet end on two or more members
-- violation: two members do not hold the same
SELECT run_id, example, max(seq) AS seq, region || '/' || key AS subject,
  min(what || ' on ' || member) || ', ' || max(what || ' on ' || member) AS witness, min(what) <> max(what) AS violated
FROM ties
GROUP BY run_id, example, region, key
HAVING count(DISTINCT member) > 1
