"""Weakenings of transactions: what is claimed beside them, what they may read, and when a commit is over."""

from __future__ import annotations

from plumbline.ci.selftest.soundness.weakening import Weakening

# ruff: noqa: E501 - the text of the model as it stands there
TRANSACTIONS: dict[str, Weakening] = {
    "all is claimed beside a transaction": Weakening(
        "model.system",
        "            step.claim = sends if step.claim is claims.SEND else None\n",
        "            if not transacts:\n                step.claim = sends if step.claim is claims.SEND else None\n",
    ),
    "a transaction waits for calls without an answer": Weakening(
        "model.transactions",
        "            other != op_id and of.get(other) == begin and not call.indefinite\n",
        "            other != op_id and of.get(other) == begin\n",
    ),
    "a transaction reads once more only what is there": Weakening(
        "model.transactions",
        "        ways = [(state, token) for region, key, state, token in found.seen if (region, key) == where]\n",
        "        ways: list[tuple[EntryState, str | None]] = []\n",
    ),
    "who has a transaction carried out reads no copy of its own": Weakening(
        "model.transactions",
        "        for member in dict.fromkeys((host, operation.member)):\n",
        "        for member in (host,):\n",
    ),
    "who commits tells its listener at once": Weakening(
        "model.committing",
        "                    if step.shows:\n                        untold",
        "                    if False:\n                        untold",
    ),
    "a commit is over before its listener was told": Weakening(
        "model.committing",
        "or call.waiting or call.silent or parked",
        "or call.waiting or parked",
    ),
}
