"""Witnesses: histories that the search answers otherwise once it is weakened.

`python -m plumbline.ci.selftest.soundness.witnesses` prints how many notice each weakening. With SECONDS
[SEED] it looks among trials for witnesses where there are none (any more), and keeps them beside the tests.
Where only a rare order of steps shows a weakening, its witness was looked for among many chaotic runs of one
plan made for it. Knows how a weakening is put into the model and taken back.
"""

from __future__ import annotations

import importlib
import inspect
import sys
import time
import types
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any

import msgspec

from plumbline.ci.selftest.generators.random_trials import draw_trial
from plumbline.ci.selftest.soundness.comparison import searched
from plumbline.ci.selftest.soundness.known import WEAKENINGS
from plumbline.ci.selftest.soundness.weakening import DroppedCondition, Weakening
from plumbline.reference.history.history import History
from plumbline.reference.reduction.condition import dropped
from plumbline.reference.search.search import Answer

_PARTS = [
    importlib.import_module(f"plumbline.reference.{name}")
    for name in (
        *(
            "search.search",
            "explain.question",
            "explain.index",
            "explain.listener_index",
            "explain.counters",
            "explain.member_lifetimes",
            "explain.recorded_lookahead",
            "explain.fault_lookahead",
            "explain.next_observation",
            "explain.client_lookahead",
            "model.buckets",
            "model.callers",
            "model.claims",
            "model.collecting",
            "model.replicates",
            "model.deliveries",
            "model.checks",
            "model.sites.dead_state",
        ),
        *(
            "model.setting",
            "model.system",
            "model.version_normalization",
            "model.timeline",
            "model.clients.clients",
            "model.clients.arrivals",
            "model.clients.client_calls",
        ),
        *("model.clients.subscriptions", "model.clients.registrations", "model.clients.failover"),
        *(
            "model.sites.parallel_copies",
            "model.sites.parallel_listeners",
            "model.sites.parallel_queues",
            "model.sites.parallel_removals",
            "model.sites.senders",
            "model.sites.takeover",
            "model.sites.precedence",
            "model.sites.dependences",
            "model.sites.dispatch",
            "model.sites.acknowledgements",
            "model.sites.connections",
            "model.sites.needed_removals",
            "model.sites.removal_messages",
            "model.sites.cut_through",
            "model.sites.delivery_paths",
            "model.sites.wires",
            "model.sites.receivers",
            "model.sites.answering",
            "model.faults",
            "model.quiescence",
            "model.committing",
            "model.transactions",
            "reduction.client_queues",
            "reduction.local_changes",
            "reduction.partitioned_regions",
            "reduction.received_changes",
            "reduction.remote_events",
            "reduction.log_reduction",
        ),
    )
]
_USERS = [*_PARTS, importlib.import_module("plumbline.ci.selftest.soundness.comparison")]

WITNESSES = Path(__file__).parent.parent.parent / "tests" / "witnesses.json"
ENOUGH = 2
"""So many witnesses are kept of each."""


class Witness(msgspec.Struct, frozen=True):
    """A history that the weakened search answers otherwise, and the rulebook that it is judged by."""

    rulebook: str
    history: History


@contextmanager
def weakened(weakening: Weakening | DroppedCondition) -> Iterator[None]:
    """The reduction without the condition, or the module changed wherever it is imported."""
    if isinstance(weakening, DroppedCondition):
        reduction = getattr(importlib.import_module(weakening.module), weakening.reduction)
        with dropped(reduction, weakening.without):
            yield
        return
    original, changed = _change(weakening)
    before: list[tuple[types.ModuleType, str, Any]] = []
    for user in (user for user in _USERS if user is not original):
        for name, value in list(vars(user).items()):
            if value is original:
                now: Any = changed
            elif value is vars(original).get(name) and getattr(value, "__module__", "") == original.__name__:
                now = vars(changed)[name]
            else:
                continue
            before.append((user, name, value))
            setattr(user, name, now)
    try:
        yield
    finally:
        for user, name, value in before:
            setattr(user, name, value)


@cache
def _change(weakening: Weakening) -> tuple[types.ModuleType, types.ModuleType]:
    """The module as it is, and another one with the text changed.

    Raises ValueError if the text to change does not stand there, or more than once.
    """
    (original,) = [part for part in _PARTS if part.__name__ == f"plumbline.reference.{weakening.module}"]
    source = inspect.getsource(original)
    if source.count(weakening.old) != 1:
        raise ValueError(f"{weakening.module} does not hold this once: {weakening.old!r}")
    changed = types.ModuleType(original.__name__)
    code = compile(source.replace(weakening.old, weakening.new), original.__file__ or "", "exec")
    exec(code, vars(changed))  # noqa: S102 - the model's own text
    return original, changed


def weakly(weakening: Weakening | DroppedCondition, witness: Witness) -> Answer:
    """What the weakened search says."""
    with weakened(weakening):
        return searched(witness.history, witness.rulebook)


def notices(weakening: Weakening | DroppedCondition, witness: Witness) -> bool:
    """Whether the search decides the history with and without the weakening, and not alike."""
    return _opposed(weakly(weakening, witness), searched(witness.history, witness.rulebook))


def _opposed(one: Answer, other: Answer) -> bool:
    return {one, other} == {Answer.EXPLAINED, Answer.REFUTED}


def read_witnesses() -> dict[str, list[Witness]]:
    """The witnesses kept, by weakening."""
    return msgspec.json.decode(WITNESSES.read_bytes(), type=dict[str, list[Witness]])


def hunt(seconds: float, seed: int = 0) -> dict[str, list[Witness]]:
    """The witnesses kept that still are some, and as many more as can be found among trials in the time."""
    kept = read_witnesses() if WITNESSES.exists() else {}
    found = {
        name: [witness for witness in kept.get(name, []) if notices(weakening, witness)]
        for name, weakening in WEAKENINGS.items()
    }
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        transacts = seed % 8 == 6
        sites = 1 if transacts else 1 + seed % 2
        trial = draw_trial(seed, sites, clients=seed % 4 == 0, buckets=seed % 8 == 2, transactions=transacts)
        witness = Witness(trial.rulebook, trial.history)
        right = searched(witness.history, witness.rulebook)
        for name, weakening in WEAKENINGS.items():
            if len(found[name]) < ENOUGH and _opposed(weakly(weakening, witness), right):
                found[name].append(witness)
        seed += 1
    return found


def main() -> None:
    """Tell how many witnesses notice each weakening; with seconds (and a seed) hunt first."""
    if len(sys.argv) > 1:
        found = hunt(float(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 0)
        WITNESSES.write_bytes(msgspec.json.encode(found) + b"\n")
    else:
        kept = read_witnesses()
        found = {
            name: [witness for witness in kept.get(name, []) if notices(weakening, witness)]
            for name, weakening in WEAKENINGS.items()
        }
    counts = {name: len(witnesses) for name, witnesses in found.items()}
    sys.stdout.write(msgspec.json.format(msgspec.json.encode(counts)).decode() + "\n")


if __name__ == "__main__":
    main()
