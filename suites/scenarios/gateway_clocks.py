"""Clocks that differ between sites: timestamps decide all the same (004, L26 to L29).

Time is held, so that what every clock shows is known. Those of site 2 are set half a minute off.
"""

from __future__ import annotations

from plumbline.reference.catalogue.capabilities import Capability
from plumbline.reference.history.operations import Operation, OperationKind, TombstoneSettings
from plumbline.suites.scenarios.scenario import between_sites
from plumbline.suites.scenarios.sites import Sites

TIME = (Capability.SITE_CLOCKS,)
TIME_AND_LINKS = (Capability.LINK_FAULTS, Capability.SITE_CLOCKS)
OFF_MS = 30_000


def _crosses(stage: Sites, operation: Operation) -> None:
    """Let so much time pass that a batch leaves, and what was called arrives at all members."""
    stage.leap(1_000)
    stage.settle()
    stage.both_sites_hold(operation.key, operation)


@between_sites("WANC-CAUSAL-01", needs=TIME)
def what_is_put_over_another_sites_value_wins_though_its_clock_is_behind(stage: Sites) -> None:
    """Site 2, half a minute behind, changes what it has just received; so does each site in turn."""
    for kind in (OperationKind.PUT, OperationKind.DESTROY):
        key = f"x {kind}"
        stage.hold_time()
        stage.set_clocks(2, -OFF_MS)
        _crosses(stage, stage.put(stage.here[0], key))
        for member in (stage.there[0], stage.here[1], stage.there[1]):
            _crosses(stage, stage.put(member, key))
        _crosses(stage, stage.do(stage.there[0], kind, key))
        stage.let_run()


@between_sites("WANC-CAUSAL-01", needs=TIME)
def what_is_created_over_another_sites_tombstone_wins_though_its_clock_is_behind(stage: Sites) -> None:
    """Site 1 destroys what both have; site 2, half a minute behind, puts or creates the key again."""
    for kind in (OperationKind.PUT, OperationKind.CREATE):
        for member in stage.there:
            key = f"x {kind} {member}"
            stage.hold_time()
            stage.set_clocks(2, -OFF_MS)
            _crosses(stage, stage.put(stage.here[0], key))
            _crosses(stage, stage.do(stage.here[1], OperationKind.DESTROY, key))
            _crosses(stage, stage.do(member, kind, key))
            stage.let_run()


@between_sites("WANC-CAUSAL-01", needs=TIME_AND_LINKS)
def what_was_not_known_is_not_overwritten(stage: Sites) -> None:
    """An update made on top of a value wins over it; one made beside it, by a clock behind, does not."""
    for on_top in (True, False):
        key = f"x{on_top}"
        stage.hold_time()
        stage.set_clocks(2, -OFF_MS)
        if not on_top:
            stage.cut()
        first = stage.put(stage.here[0], key)
        stage.leap(1_000)
        stage.settle()
        second = stage.put(stage.there[0], key)
        stage.leap(1_000)
        stage.settle()
        stage.let_run()
        if not on_top:
            stage.heal()
        stage.settle()
        stage.both_sites_hold(key, second if on_top else first)


@between_sites("WANC-CLOCK-01", needs=TIME_AND_LINKS)
def the_larger_timestamp_wins_though_it_was_made_earlier(stage: Sites) -> None:
    """Sites whose clocks are half a minute apart write a key apart.

    Either may receive the other's update first.
    """
    for ahead_ms in (OFF_MS, -OFF_MS):
        for here_first in (True, False):
            for hears_first in (True, False):
                key = f"x {ahead_ms} {here_first} {hears_first}"
                stage.cut_both_ways()
                stage.hold_time()
                stage.set_clocks(2, ahead_ms)
                puts = {}
                for of in ("here", "there") if here_first else ("there", "here"):
                    puts[of] = stage.put(stage.here[0] if of == "here" else stage.there[1], key)
                    stage.leap(1_000)
                stage.let_run()
                stage.settle()
                if hears_first:
                    stage.heal_back()
                    stage.settle()
                    stage.heal()
                else:
                    stage.heal()
                    stage.settle()
                    stage.heal_back()
                stage.settle()
                stage.both_sites_hold(key, puts["there" if ahead_ms > 0 else "here"])


@between_sites("WANC-CLOCK-01", needs=TIME_AND_LINKS)
def a_clock_that_is_off_by_less_than_lies_between_does_no_harm(stage: Sites) -> None:
    """Of updates made a minute apart the one made later wins, as its timestamp is the larger one."""
    for ahead_ms in (OFF_MS, -OFF_MS):
        key = f"x {ahead_ms}"
        stage.cut_both_ways()
        stage.hold_time()
        stage.set_clocks(2, ahead_ms)
        first, second = (stage.there[1], stage.here[0]) if ahead_ms > 0 else (stage.here[0], stage.there[1])
        stage.put(first, key)
        stage.leap(2 * OFF_MS)
        last = stage.put(second, key)
        stage.let_run()
        stage.settle()
        stage.heal_both_ways()
        stage.settle()
        stage.both_sites_hold(key, last)


T_MS, AHEAD_MS = 60_000, 3_600_000
COUNTED = (*TIME, Capability.TOMBSTONES, Capability.STATISTICS, Capability.VIRTUAL_TIME)


@between_sites("TOMB-TTL-04", needs=COUNTED, tombstones=TombstoneSettings(timeout_ms=T_MS, threshold=1))
def a_destroy_by_a_clock_that_is_ahead_is_kept_for_one_further_time_out_at_most(stage: Sites) -> None:
    """Site 2 is an hour ahead. Site 1 keeps its tombstone no longer, nor one of its own behind it."""
    stage.hold_time()
    stage.set_clocks(2, AHEAD_MS)
    for key in ("x", "y"):
        _crosses(stage, stage.put(stage.there[0], key))
    _crosses(stage, stage.do(stage.there[0], OperationKind.DESTROY, "x"))
    _crosses(stage, stage.do(stage.here[0], OperationKind.DESTROY, "y"))
    for member in stage.here:
        stage.says(member, "tombstoneCount", 2)
    stage.leap(2 * T_MS + 10_000)
    stage.settle()
    for member in stage.here:
        stage.says(member, "tombstoneCount", 0)
