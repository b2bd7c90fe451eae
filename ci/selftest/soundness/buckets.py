"""Weakenings of what is claimed of partitioned regions."""

from __future__ import annotations

from plumbline.ci.selftest.soundness.weakening import Weakening

# ruff: noqa: E501 - the text of the model as it stands there
BUCKETS: dict[str, Weakening] = {
    "a primary carries out what the log says next though somebody may still read": Weakening(
        "model.buckets",
        "            and self._lookahead.reader_to_come(world, view.now, at, operation, entry) is Ternary.NO\n",
        "",
    ),
    "a primary carries out what the log does not tell for sure": Weakening(
        "model.buckets",
        "        certain = (\n            decided\n",
        "        certain = (\n            True\n",
    ),
    "copies are sent what stands in its primary's listener": Weakening(
        "model.buckets",
        "claim=None if parked(world, operation, call) else claims.SEND_TO_COPIES",
        "claim=claims.SEND_TO_COPIES",
    ),
    "what a copy tells of was lost": Weakening(
        "model.deliveries",
        "                and not view.still(*told)\n                for message in world.channels[channel]",
        "                for message in world.channels[channel]",
    ),
    "a copy takes over though others differ": Weakening(
        "model.buckets",
        "sure = len(ways) == 1 and heir_known is not None",
        "sure = heir_known is not None",
    ),
    "a copy takes over though another may": Weakening(
        "model.buckets",
        "sure = len(ways) == 1 and heir_known is not None",
        "sure = len(ways) == 1",
    ),
    "who is primary behind the next death is primary now": Weakening(
        "explain.recorded_lookahead",
        "if found is None or any(now <= moment < found[0] for moment, _ in self._index.faults):",
        "if found is None:",
    ),
    "who holds no copy never tells": Weakening(
        "model.buckets",
        "if not (view.reduced and decided and view.still(place, shown)):",
        "if True:",
    ),
    "a get reads its caller's copy only": Weakening(
        "explain.index",
        "for member in self.sites if anywhere else (operation.member,):",
        "for member in (operation.member,):",
    ),
    "a call reads its caller's copy only": Weakening(
        "explain.recorded_lookahead",
        "(where[0] if anywhere else reader.member, reader.region, reader.key) == where",
        "(reader.member, reader.region, reader.key) == where",
    ),
    "who may read another's copy reads this one": Weakening(
        "explain.recorded_lookahead",
        "and not comes_again and not anywhere",
        "and not comes_again",
    ),
    "what its caller's listener is not told of changes nothing": Weakening(
        "model.buckets",
        "claims.READ if operation.kind in READS and self._lookahead.only_reads(operation) else None",
        "claims.READ if self._lookahead.only_reads(operation) else None",
    ),
}
