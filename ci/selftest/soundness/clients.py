"""Weakenings of clients: what they are still told, take in, and do when their server dies."""

from __future__ import annotations

from plumbline.ci.selftest.soundness.weakening import Weakening

CLIENTS: dict[str, Weakening] = {
    "clients hear nothing that was called before": Weakening(
        "explain.client_lookahead",
        "called >= now or self._may_come_to(world, server, other)",
        "called >= now",
    ),
    "an invalidation that shows nothing is unheard": Weakening(
        "explain.client_lookahead",
        "if not self.simple or operation.kind is OperationKind.INVALIDATE or not",
        "if not self.simple or not",
    ),
    "whoever is dead has been replaced": Weakening(
        "explain.client_lookahead", "            or line.primary in world.wan.dead\n", ""
    ),
    "a client that shows nothing is told with the value": Weakening(
        "explain.client_lookahead",
        "return None if with_it and without else not with_it",
        "return None if with_it and without else without",
    ),
    "who is about to die serves for good": Weakening(
        "explain.client_lookahead",
        "            or any(fault.member in servers for fault in self._dying(world))\n",
        "",
    ),
    "a durable client that goes keeps what it knows": Weakening(
        "explain.client_lookahead",
        "return under_way or any(now <= at and client == name for at, name in self._goings)",
        "return under_way",
    ),
    "a client leaves its copy alone": Weakening(
        "explain.client_lookahead",
        "        if not self.simple:\n            return True\n        own =",
        "        if self.simple:\n            return False\n        own =",
    ),
    "what a client has called is over": Weakening(
        "explain.client_lookahead", "other.op_id in world.calls or now <=", "now <="
    ),
    "only a client's first server whispers": Weakening(
        "explain.client_lookahead",
        "            if any(moment < before for moment, _ in self._crashes):\n                return True\n",
        "",
    ),
    "clients hear nothing that is yet to be called": Weakening(
        "explain.client_lookahead", "called >= now or self._may_come_to(", "self._may_come_to("
    ),
    "a client calls nothing more": Weakening(
        "explain.client_lookahead",
        " or now <= self._index.called[other.op_id] < latest for other",
        " for other",
    ),
    "a client that has yet to call reads nothing at its server": Weakening(
        "explain.recorded_lookahead",
        "in self._index.originators:\n                comes = max(comes, Ternary.MAYBE)\n",
        "in self._index.originators:\n                pass\n",
    ),
    "what has not been answered has fetched nothing": Weakening(
        "explain.client_lookahead",
        "outcome.status is Status.INDEFINITE:\n                    return True",
        "outcome.status is Status.INDEFINITE:\n                    continue",
    ),
}
