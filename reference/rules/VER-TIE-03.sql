-- requirement: VER-TIE-03
-- view: black-box
-- empty-start: no
-- parts: ties
-- columns: run_id, example, seq
-- opportunity: what a member holds at the quiet end of a key whose last changes carry one version
-- violation: it holds something else than what the change of the highest member id leaves
SELECT run_id, example, seq, region || '/' || key AS subject,
  member || ' holds ' || what || '; of ' || CAST(many AS STRING) || ' changes with one version that of ' || won_on || ' leaves ' || ought
    AS witness,
  what <> ought AS violated
FROM ties
