"""A conflict resolver of one member: it notes each request, and its policy answers.

Geode has one resolver for all regions of a cache, and asks it under the lock of the entry. Knows nothing of
JVMs: the object that it receives is read by the names that Geode gives its methods.
"""

# ruff: noqa: N802 - the names are those of org.apache.geode.cache.util.GatewayConflictResolver

from __future__ import annotations

from typing import Any, ClassVar

import msgspec

from plumbline.adapters.geode.argument import token_of
from plumbline.adapters.geode.listener import GeodeExample
from plumbline.reference.history.operations import Conflict, Event, EventKind
from plumbline.reference.history.resolvers import ALLOW, DISALLOW, REPLACE, THROW, ResolverPolicy, in_place_of


class Resolver:
    """A resolver, called by the JVM on the threads that apply what comes from other sites.

    Attributes:
        regions: the regions of the example by the names that Geode knows them by.
    """

    def __init__(self, stage: GeodeExample, member: str, policy: ResolverPolicy) -> None:
        self.regions: dict[str, str] = {}
        self._stage = stage
        self._member = member
        self._policy = policy

    def onEvent(self, event: Any, helper: Any) -> None:
        """An event may be in conflict with what is stored; without a word it is applied."""
        region = self.regions.get(event.getRegion().getName())
        if region is None:
            return  # of an example that is over
        destroys = bool(event.getOperation().isDestroy())
        new = token_of(event.getCallbackArgument()) if destroys else event.getNewValue()
        told = Conflict(
            kind=EventKind.DESTROY if destroys else EventKind.UPDATE,
            old=event.getOldValue(),
            site=int(event.getNewDistributedSystemID()),
            stored_site=int(event.getOldDistributedSystemID()),
            time_ms=int(event.getNewTimestamp()),
            stored_time_ms=int(event.getOldTimestamp()),
            answer="",
        )
        answer = _answer(self._policy, told)
        self._stage.tell_conflict(
            Event(
                member=self._member,
                region=region,
                key=event.getKey(),
                kind=EventKind.RESOLVE,
                token=new,
                conflict=msgspec.structs.replace(told, answer=answer),
            )
        )
        if answer == THROW:
            raise RuntimeError("the resolver fails, as its script says")
        if answer == DISALLOW:
            helper.disallowEvent()
        elif answer == REPLACE:
            helper.changeEventValue(in_place_of(new))

    class Java:
        """What py4j makes of it in the JVM."""

        implements: ClassVar[list[str]] = ["org.apache.geode.cache.util.GatewayConflictResolver"]


def _answer(policy: ResolverPolicy, told: Conflict) -> str:
    """What a resolver of this policy answers."""
    if policy.always == REPLACE and told.kind is EventKind.DESTROY:
        return ALLOW
    if policy.always:
        return policy.always
    near = abs(told.time_ms - told.stored_time_ms) <= policy.within_ms
    if near and policy.site in (told.site, told.stored_site):
        return ALLOW if told.site == policy.site else DISALLOW
    later = (told.time_ms, told.site) > (told.stored_time_ms, told.stored_site)
    return ALLOW if later else DISALLOW
