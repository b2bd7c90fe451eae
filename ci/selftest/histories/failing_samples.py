"""Samples of events that the other site refuses, and of sites all of whose members die and run again.

Site 1 sends to site 2 by the sender `out`, whose primary is on a1. The cache writers of site 2 refuse keys.
"""

from __future__ import annotations

from typing import Self

from plumbline.ci.selftest.histories.history_builder import AWAY, HOME, HistoryBuilder, Sample
from plumbline.reference.history.moments import Scripted


class FailingBuilder(HistoryBuilder):
    """A history in which the members of site 2 refuse keys."""

    def refuse(self, *keys: str) -> Self:
        """From here on the cache writers of site 2 refuse changes of these keys, and of no others."""
        self._timeline += [Scripted(member, "r", keys) for member in AWAY.split()]
        return self


def _refused(*, keeps: bool = False) -> FailingBuilder:
    """Site 2 refuses k. Site 1 puts k and then m, and all rests."""
    t = FailingBuilder(remove_on_exception=not keeps)
    t.refuse("k").put("a1", "k", HOME)
    return t if keeps else t.put("a1", "m", f"{HOME} {AWAY}").settle()


def _kept() -> FailingBuilder:
    """The same, where the sender keeps what failed: m waits."""
    return _refused(keeps=True).put("a1", "m", HOME).settle()


def _died(*, persistent: bool = True, down: bool = True) -> FailingBuilder:
    """Two puts, behind which both members of site 1 die and run again; the link may be down from before."""
    t = FailingBuilder(persistent=persistent)
    if down:
        t.fault("link_down")
    t.put("a1", "k", HOME).put("a1", "m", HOME)
    t.fault("crash", "a1").fault("crash", "a2")
    t.fault("restart", "a2").fault("restart", "a1")
    if down:
        t.fault("link_up")
    return t


RIGHT: dict[str, Sample] = {
    "what is refused is missing, and nothing else": _refused()
    .look("a1", 0)
    .refuse()
    .settle()
    .look("a1", 0)
    .rests(b1={"m": "v2"}, b2={"m": "v2"})
    .sample(looks_like="GWQ-FAILACK-02 GWQ-FAILACK-03 GWQ-FAILACK-05"),
    "what is kept comes once it is accepted": _kept()
    .look("a1", 2)
    .refuse()
    .shown(1, AWAY)
    .shown(2, AWAY)
    .settle()
    .look("a1", 0)
    .rests()
    .sample(looks_like="RCV-RETRY-01 GWQ-FAILACK-05"),
    "what is on disk comes back": _died()
    .shown(1, AWAY)
    .shown(2, AWAY)
    .put("a2", "k")
    .rests(a1={"k": "v3"}, a2={"k": "v3"})
    .sample(looks_like="GWQ-PERSIST-01 GWQ-PERSIST-02 GWQ-PERSIST-03"),
    "what was in memory alone is gone": _died(persistent=False)
    .put("a2", "n")
    .rests(a1={"n": "v3"}, a2={"n": "v3"})
    .sample(looks_like="GWQ-OVERFLOW-03"),
}
"""By name, samples that violate nothing."""


def _sent_again(key: str) -> FailingBuilder:
    """What was refused is shown once it is accepted."""
    t = _refused() if key == "k" else _refused().refuse("n").put("a2", "n", HOME).settle()
    t.refuse()
    return t.shown(1 if key == "k" else 3, AWAY, after=t.moments)


def _lives_on(t: FailingBuilder, *shown: int) -> FailingBuilder:
    """Site 2 shows these; site 1 holds what it receives again."""
    for op_id in shown:
        t.shown(op_id, AWAY)
    return t.rests(a1={}, a2={})


WRONG: dict[str, Sample] = {
    "what was refused is sent again": _sent_again("k").rests().sample("GWQ-FAILACK-02"),
    "another event that was refused is sent again": _sent_again("n").rests().sample("GWQ-FAILACK-02"),
    "an event behind the one that failed is lost": FailingBuilder()
    .refuse("k")
    .put("a1", "k", HOME)
    .put("a1", "m", HOME)
    .rests()
    .sample("GWQ-FAILACK-03"),
    "an event in front of the one that failed is lost": FailingBuilder()
    .refuse("k")
    .put("a2", "m", HOME)
    .put("a2", "k", HOME)
    .rests()
    .sample("GWQ-FAILACK-03"),
    "a batch with an event that failed stays": _refused().look("a1", 2).rests().sample("GWQ-FAILACK-05"),
    "what was kept stays behind its success": _kept()
    .refuse()
    .shown(1, AWAY)
    .shown(2, AWAY)
    .settle()
    .look("a1", 1)
    .rests()
    .sample("GWQ-FAILACK-05"),
    "what is behind an event that is kept overtakes it": _kept()
    .shown(2, AWAY)
    .refuse()
    .shown(1, AWAY)
    .rests()
    .sample("RCV-RETRY-01"),
    "an event that is to be kept is left out": _kept().shown(2, AWAY).rests().sample("RCV-RETRY-01"),
    "what is on disk does not come back": _lives_on(_died(), 1).sample("GWQ-PERSIST-01"),
    "nothing on disk comes back": _lives_on(_died()).sample("GWQ-PERSIST-01"),
    "what comes back is turned": _lives_on(_died(), 2, 1).sample("GWQ-PERSIST-02"),
    "the oldest that comes back is left out": _lives_on(_died(), 2).sample("GWQ-PERSIST-01 GWQ-PERSIST-02"),
    "a new event comes before those that come back": _lives_on(_died().put("a2", "n"), 1, 2).sample(
        "GWQ-PERSIST-03"
    ),
    "a new event replaces the oldest": _lives_on(_died().shown(2, AWAY).put("a2", "n")).sample(
        "GWQ-PERSIST-01 GWQ-PERSIST-02 GWQ-PERSIST-03"
    ),
    "what was in memory alone comes back": _lives_on(_died(persistent=False), 1, 2).sample("GWQ-OVERFLOW-03"),
    "part of what was in memory alone comes back": _lives_on(_died(persistent=False), 2).sample(
        "GWQ-OVERFLOW-03"
    ),
}
"""By name, samples with the requirements that they violate."""
