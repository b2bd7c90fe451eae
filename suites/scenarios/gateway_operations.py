"""What crosses from one site to another, and what does not (document 000, Operation Distribution)."""

from __future__ import annotations

from plumbline.reference.operations import OperationKind
from plumbline.suites.scenarios.scenario import between_sites
from plumbline.suites.scenarios.sites import Sites


@between_sites("WAN-OPS-01", "WAN-OPS-02", "WAN-OPS-03")
def creates_updates_and_destroys_cross(stage: Sites) -> None:
    """What one site creates, updates and destroys is created, updated and destroyed at the other."""
    created = stage.do(stage.here[1], OperationKind.CREATE, "x")
    stage.settle()
    stage.both_sites_hold("x", created)
    updated = stage.put(stage.here[0], "x")
    stage.settle()
    stage.both_sites_hold("x", updated)
    destroyed = stage.do(stage.here[1], OperationKind.DESTROY, "x")
    stage.settle()
    stage.both_sites_hold("x", None)
    for member in stage.there:
        stage.log_is(member, "x", created, updated, destroyed)


@between_sites("WAN-OPS-05", "WAN-OPS-04")
def gets_and_invalidations_stay(stage: Sites) -> None:
    """What one site reads and invalidates keeps its value at the other, and nobody there is told."""
    put = stage.put(stage.here[0], "x")
    stage.settle()
    stage.reads_only(stage.get(stage.primary(), "x"), (put,))
    invalidated = stage.do(stage.here[0], OperationKind.INVALIDATE, "x")
    stage.settle()
    stage.site_holds(stage.here, "x", invalidated)
    stage.site_holds(stage.there, "x", put)
    for member in stage.there:
        stage.log_is(member, "x", put)
