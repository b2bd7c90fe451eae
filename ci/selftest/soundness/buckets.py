"""Weakenings of what is claimed of partitioned regions."""

from __future__ import annotations

from plumbline.ci.selftest.soundness.weakening import Weakening

BUCKETS: dict[str, Weakening] = {
    "what a copy tells of was lost": Weakening(
        "model.deliveries",
        "                and not view.still(*told)\n                for message in world.channels[channel]",
        "                for message in world.channels[channel]",
    ),
    "what a member tells its clients alone was lost": Weakening(
        "model.deliveries", "and (message.sure or not self._setting.serves(channel.target))", ""
    ),
    "who is primary behind the next death is primary now": Weakening(
        "explain.recorded_lookahead",
        "if found is None or any(now <= moment < found[0] for moment, _ in self._index.faults):",
        "if found is None:",
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
}
