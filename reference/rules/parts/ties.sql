-- part: What members hold at the quiet end of a key whose last changes were called when all earlier ones were over, each on
--   another member and shown there before any other of them: so all carry one version, and the highest member id wins.
--   A destroy or an invalidation that is not shown there may have come before, as one that finds no entry is not told.
--   Which of them wins, what it leaves, and whether the member that called it had changed the key last before, alone.
--   Every member keeps the region whole and checks; one site, no member lost, nothing sent once more, no time let pass.
--   And beside each of those changes that lost, where members show it and the winner.
-- columns: run_id, example, seq, kind, member, region, key, op_id, log_pos, rank, amount, order_strength, state_after, value
-- needs: changes, kept, meddled
shaken AS (
  SELECT DISTINCT run_id, example
  FROM ev
  WHERE kind IN ('crash', 'member_stop', 'redeliver', 'advance', 'queue_host', 'link', 'inject', 'join_call')
  UNION
  SELECT run_id, example
  FROM ev
  WHERE kind = 'example_begin' AND coalesce(order_strength, '') NOT IN ('total', 'per_key')
),
unnamed AS (
  SELECT DISTINCT run_id, example, region, key
  FROM ev
  WHERE kind = 'listener' AND op_id IS NULL AND key IS NOT NULL
),
rested AS (
  SELECT run_id, example, seq, kind,
    max(CASE WHEN kind = 'settle' AND amount = 0 THEN seq END) OVER (
      PARTITION BY run_id, example ORDER BY seq NULLS LAST ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW
    ) AS rested_at
  FROM ev
  WHERE kind IN ('settle', 'op_begin')
),
followed_by AS (
  SELECT c.run_id, c.example, c.region, c.key, c.op, c.op_id, c.token, c.member, c.called_at, c.effect, r.rested_at, k.acknowledged,
    max(c.over_at) OVER (
      PARTITION BY c.run_id, c.example, c.region, c.key ORDER BY c.called_at NULLS LAST
      ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING
    ) AS busy_until,
    lag(c.called_at) OVER (PARTITION BY c.run_id, c.example, c.region, c.key ORDER BY c.called_at NULLS LAST) AS called_before
  FROM changes c
  JOIN rested r ON r.run_id = c.run_id AND r.example = c.example AND r.seq = c.called_at
  JOIN kept k ON k.run_id = c.run_id AND k.example = c.example AND k.region = c.region AND k.checked
  ANTI JOIN shaken x ON x.run_id = c.run_id AND x.example = c.example
  ANTI JOIN unnamed n ON n.run_id = c.run_id AND n.example = c.example AND n.region = c.region AND n.key = c.key
  ANTI JOIN meddled d ON d.run_id = c.run_id AND d.example = c.example AND d.region = c.region AND d.key = c.key
  WHERE c.effect <> 'none'
),
spells AS (
  SELECT run_id, example, region, key, op, op_id, token, member, effect,
    sum(CASE
      WHEN acknowledged AND busy_until < called_at THEN 1
      WHEN rested_at > called_before THEN 1
      ELSE 0
    END) OVER (
      PARTITION BY run_id, example, region, key ORDER BY called_at NULLS LAST ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW
    ) AS spell
  FROM followed_by
),
rivals AS (
  SELECT c.run_id, c.example, c.region, c.key, c.op, c.op_id, c.member, c.effect, c.spell, m.rank,
    CASE c.op WHEN 'destroy' THEN 'absent' WHEN 'invalidate' THEN 'invalid' ELSE 'valid ' || c.token END AS leaves,
    max(c.spell) OVER (PARTITION BY c.run_id, c.example, c.region, c.key) AS last_spell
  FROM spells c
  JOIN ev m ON m.run_id = c.run_id AND m.example = c.example AND m.member = c.member AND m.kind = 'member_start'
),
showings AS (
  SELECT run_id, example, member, op_id, min(log_pos) AS pos
  FROM ev
  WHERE kind = 'listener' AND op_id IS NOT NULL AND member IS NOT NULL
  GROUP BY run_id, example, member, op_id
),
contenders AS (
  SELECT r.run_id, r.example, r.region, r.key, r.op, r.op_id, r.member, r.effect, r.spell, r.rank, r.leaves, w.pos AS own_pos,
    min(t.pos) AS other_pos, bool_or(coalesce(o.op, '') IN ('destroy', 'invalidate') AND t.pos IS NULL) AS silent
  FROM rivals r
  LEFT JOIN showings w ON w.run_id = r.run_id AND w.example = r.example AND w.op_id = r.op_id AND w.member = r.member
  LEFT JOIN rivals o ON o.run_id = r.run_id AND o.example = r.example AND o.region = r.region AND o.key = r.key
    AND o.spell = r.spell AND o.op_id <> r.op_id
  LEFT JOIN showings t ON t.run_id = r.run_id AND t.example = r.example AND t.op_id = o.op_id AND t.member = r.member
  WHERE r.spell = r.last_spell
  GROUP BY r.run_id, r.example, r.region, r.key, r.op, r.op_id, r.member, r.effect, r.spell, r.rank, r.leaves, w.pos
),
tied AS (
  SELECT run_id, example, region, key, spell, max(rank) AS highest, count(op_id) AS many, count(DISTINCT op) AS kinds
  FROM contenders
  GROUP BY run_id, example, region, key, spell
  HAVING count(op_id) > 1 AND count(DISTINCT rank) = count(op_id)
    AND bool_and(effect = 'sure' AND own_pos IS NOT NULL AND NOT silent AND coalesce(other_pos, own_pos + 1) > own_pos)
),
spells_before AS (
  SELECT t.run_id, t.example, t.region, t.key, max(r.spell) AS spell
  FROM tied t
  JOIN rivals r ON r.run_id = t.run_id AND r.example = t.example AND r.region = t.region AND r.key = t.key AND r.spell < t.spell
  GROUP BY t.run_id, t.example, t.region, t.key
),
written_before AS (
  SELECT b.run_id, b.example, b.region, b.key, min(r.member) AS member
  FROM spells_before b
  JOIN rivals r ON r.run_id = b.run_id AND r.example = b.example AND r.region = b.region AND r.key = b.key AND r.spell = b.spell
  GROUP BY b.run_id, b.example, b.region, b.key
  HAVING count(r.op_id) = 1
),
ties AS (
  SELECT t.run_id, t.example, t.region, t.key, t.many, t.kinds, f.seq, f.member,
    f.state_after || coalesce(' ' || f.value, '') AS what, w.op_id AS winner, w.op AS winning_op, w.member AS won_on,
    w.leaves AS ought, coalesce(b.member = w.member, false) AS written_by_winner, s.pos AS won_pos
  FROM tied t
  JOIN contenders w ON w.run_id = t.run_id AND w.example = t.example AND w.region = t.region AND w.key = t.key
    AND w.rank = t.highest
  JOIN ev f ON f.run_id = t.run_id AND f.example = t.example AND f.region = t.region AND f.key = t.key
    AND f.kind = 'final_value' AND f.member IS NOT NULL
  SEMI JOIN ev h ON h.run_id = f.run_id AND h.example = f.example AND h.member = f.member AND h.kind = 'observed'
  LEFT JOIN written_before b ON b.run_id = t.run_id AND b.example = t.example AND b.region = t.region AND b.key = t.key
  LEFT JOIN showings s ON s.run_id = f.run_id AND s.example = f.example AND s.op_id = w.op_id AND s.member = f.member
),
losers AS (
  SELECT t.run_id, t.example, t.region, t.key, t.many, t.seq, t.member, t.what, t.ought, t.won_on, t.written_by_winner,
    t.won_pos, l.op_id AS loser, l.leaves AS lost_leaves, l.member AS lost_on, s.pos AS lost_pos,
    t.winning_op IN ('put', 'create') AND l.op IN ('put', 'create') AS of_values,
    t.winning_op = 'destroy' OR l.op = 'destroy' AS of_destroys,
    'operation ' || CAST(t.winner AS STRING) || ' of ' || t.won_on || ' ties with ' || CAST(l.op_id AS STRING) || ' of ' || l.member
      || '; ' || t.member || ' holds ' || t.what || ', shows '
      || CASE WHEN t.won_pos IS NULL AND s.pos IS NULL THEN 'neither' WHEN s.pos IS NULL THEN 'the first'
        WHEN t.won_pos IS NULL THEN 'the second' WHEN t.won_pos < s.pos THEN 'the first before the second' ELSE 'the second before the first' END AS witness
  FROM ties t
  JOIN contenders l ON l.run_id = t.run_id AND l.example = t.example AND l.region = t.region AND l.key = t.key
    AND l.op_id <> t.winner
  LEFT JOIN showings s ON s.run_id = t.run_id AND s.example = t.example AND s.op_id = l.op_id AND s.member = t.member
)
