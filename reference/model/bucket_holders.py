"""Bucket holders: which members hold a key of a partitioned region, and what is left when one of them dies.

Knows the state only. What holders do with an update, `buckets` knows.
"""

from __future__ import annotations

from msgspec.structs import replace

from plumbline.reference.history.fault_kinds import FaultKind
from plumbline.reference.history.operations import Operation
from plumbline.reference.model.setting import Setting
from plumbline.reference.model.world import Bucket, Call, CallStage, World


def may_lose_answer(world: World, setting: Setting, op_id: int) -> bool:
    """Whether a call may be tried again before it returns, as its answer dies with all that hold its key."""
    call: Call = world.calls[op_id]
    operation = setting.operations[op_id]
    bucket = world.buckets.get((operation.region, operation.key))
    if bucket is None or call.stage is not CallStage.SENT or call.carrier in ("", operation.member):
        return False
    crashes = {fault.member for fault in world.wan.faults.values() if fault.kind is FaultKind.CRASH}
    return all(holder in world.wan.dead or holder in crashes for holder in (call.carrier, *bucket.copies))


def located(world: World, where: tuple[str, str], primary: str, redundant: tuple[str, ...]) -> World:
    """The world in which a key is known to be there."""
    return world.but(buckets=world.buckets.set(where, Bucket(primary, redundant)))


def without(world: World, member: str) -> World:
    """The world in which a member's copies are gone; what it was primary for has none for now."""
    buckets = world.buckets
    for where, bucket in world.buckets.items():
        if member in bucket.copies:
            left = tuple(copy for copy in bucket.copies if copy != member)
            buckets = buckets.set(where, replace(bucket, copies=left))
    return world.but(buckets=buckets)


def outlived(world: World, operation: Operation, call: Call, member: str) -> Call | None:
    """What is left of a call on a partitioned region whose caller has died; None for any other call.

    A call that was passed on to the primary may still be carried out; a call that was lost with the primary
    is not tried again.
    """
    bucket = world.buckets.get((operation.region, operation.key))
    if bucket is None or call.stage is CallStage.DONE:
        return None
    told = call.stage is CallStage.SENT and not call.waiting
    if member == (call.carrier or bucket.primary) and not told:
        return Call(CallStage.DONE, indefinite=True)
    return replace(call, indefinite=True, waiting=call.waiting - {member})
