"""Samples of two sites with conflict resolvers: right ones, and those that break a requirement each."""

from __future__ import annotations

from plumbline.ci.selftest.histories.history_builder import AWAY, HOME, HistoryBuilder, Sample


def _apart(policy: str) -> tuple[HistoryBuilder, int, int]:
    """Both sites write a key while nothing passes between them: the tale so far, and both updates."""
    tale = HistoryBuilder(resolver=policy).fault("link_down")
    one, two = tale.call("put", "a1", "k"), tale.call("put", "b1", "k")
    tale.shown(one, HOME).shown(two, AWAY).ends(one).ends(two)
    return tale.fault("link_up"), one, two


def _heard(policy: str) -> tuple[HistoryBuilder, int, int]:
    """The same, and site 2 has been asked about the update of site 1 and keeps its own."""
    tale, one, two = _apart(policy)
    return tale.asked(one, "b1", "disallow", old=two), one, two


def _right() -> dict[str, Sample]:
    allowed, one, two = _apart("allow")
    allowed.asked(two, "a2", "allow", old=one).shown(two, HOME)
    allowed.asked(one, "b1", "allow", old=two).shown(one, AWAY)
    kept, one, two = _apart("disallow")
    kept.asked(two, "a1", "disallow", old=one).asked(one, "b2", "disallow", old=two)
    replaced, one, two = _apart("replace")
    replaced.asked(two, "a1", "replace", old=one).shown(two, HOME, replaced=True)
    replaced.asked(one, "b1", "replace", old=two).shown(one, AWAY, replaced=True)
    crashed, one, two = _apart("allow")
    crashed.asked(two, "a2", "allow", old=one).fault("crash", "a2")
    return {
        "a resolver allows": allowed.rests().sample(looks_like="WANC-RESOLVER-02 WANC-RESOLVER-06"),
        "a resolver disallows": kept.rests().sample(looks_like="WANC-RESOLVER-04 WANC-CHK-01"),
        "a resolver replaces": replaced.rests().sample(looks_like="WANC-RESOLVER-05"),
        "a member dies once its resolver has allowed": crashed.settle().sample(looks_like="WANC-RESOLVER-03"),
    }


RESOLVED_RIGHT: dict[str, Sample] = _right()
"""Right ones by name."""


def _wrong() -> dict[str, Sample]:
    last = HistoryBuilder().put("b1", "k").put("b1", "k")
    last.asked(2, "a1", "allow", old=1, stored_site=2).shown(2, "a1")
    found = HistoryBuilder().put("b1", "n").asked(1, "a1", "allow", stored_site=0).shown(1, "a1")
    untold, one, two = _heard("allow")
    untold.asked(two, "a1", "allow", old=one)
    before, one, two = _heard("allow")
    before.shown(two, HOME).asked(two, "a2", "allow", old=one)
    applied, one, two = _heard("disallow")
    applied.asked(two, "a1", "disallow", old=one).shown(two, HOME)
    announced, one, two = _apart("disallow")
    announced.asked(one, "b2", "disallow", old=two).shown(one, AWAY)
    own, one, two = _heard("replace")
    own.asked(two, "a1", "replace", old=one).shown(two, "a1", replaced=True).shown(two, "a2")
    both, one, two = _apart("replace")
    both.asked(one, "b1", "replace", old=two).shown(one, AWAY)
    swapped, one, two = _heard("disallow")
    swapped.asked(two, "a1", "disallow", old=one, site=1, stored_site=2)
    mistaken, one, two = _apart("disallow")
    mistaken.asked(one, "b1", "disallow", old=two, stored_site=3)
    return {
        "asked about the last writer's event": last.rests().sample("WANC-RESOLVER-02"),
        "asked where nothing is recorded": found.rests().sample("WANC-RESOLVER-02"),
        "allowed and never told": untold.rests().sample("WANC-RESOLVER-03"),
        "told before it was allowed, and not afterwards": before.rests().sample("WANC-RESOLVER-03"),
        "disallowed and applied": applied.rests().sample("WANC-RESOLVER-04"),
        "disallowed and told": announced.rests().sample("WANC-RESOLVER-04"),
        "replaced, but not for the other member": own.rests().sample("WANC-RESOLVER-05"),
        "replaced, but for nobody": both.rests().sample("WANC-RESOLVER-05"),
        "sites told in each other's place": swapped.rests().sample("WANC-RESOLVER-06"),
        "told of a third site": mistaken.rests().sample("WANC-RESOLVER-06"),
    }


RESOLVED_WRONG: dict[str, Sample] = _wrong()
"""Wrong ones by name."""
