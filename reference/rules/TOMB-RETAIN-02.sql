-- requirement: TOMB-RETAIN-02
-- view: black-box
-- empty-start: no
-- parts: lasts
-- columns: run_id, example, seq
-- opportunity: a member that shows the last destroy of a key behind another change of it, the caller having shown all
--   others before. What a member holds at the quiet end of a key of two changes of one version, one of them a
--   destroy. And of a key that a caller has put or created right behind a destroy, having shown all others
-- violation: it shows another change behind the destroy, or holds a value; it holds something else than what the change of the
--   higher member id leaves; it holds something else than was put or created
SELECT run_id, example, seq, subject, witness,
  CASE op WHEN 'destroy' THEN others_behind OR what NOT IN (ought, 'invalid') ELSE what <> ought END AS violated
FROM lasts
WHERE CASE op WHEN 'destroy' THEN others_before ELSE behind_destroy END
UNION ALL
SELECT run_id, example, seq, region || '/' || key AS subject, witness, what <> ought AS violated
FROM losers
WHERE many = 2 AND of_destroys
