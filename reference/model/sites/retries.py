"""Retries: when a sender that has found no receiver tries again, where the harness holds time (000, L41).

Where time runs, nothing shows when a sender tries, and any moment is right. Knows which receivers run; knows
nothing of what is sent.
"""

from __future__ import annotations

from msgspec.structs import replace

from plumbline.reference.history.fault_kinds import FaultKind
from plumbline.reference.history.operations import QueueAttributes
from plumbline.reference.model.setting import Setting
from plumbline.reference.model.sites.site_state import Sender
from plumbline.reference.model.world import World
from plumbline.reference.rulebook.values import each

LONG_MS = 1 << 40
"""Longer than any sender waits."""


def receivers_of(setting: Setting, world: World, queue: QueueAttributes) -> list[str]:
    """The members to which the queue's sender could connect."""
    return [] if _is_cut(world, queue) else [m for m in setting.led_to[queue.id] if _runs(world, m)]


def finds_none(setting: Setting, world: World, queue: QueueAttributes, sender: Sender) -> bool:
    """Whether a sender has something to send, and is to find that no receiver runs.

    A link that is cut is another matter: once it is mended, connections are made anew.
    """
    if not setting.retries_wait or not world.wan.stands or sender.vain is not None or _is_cut(world, queue):
        return False
    return bool(sender.queue) and not sender.wire and not receivers_of(setting, world, queue)


def may_try(setting: Setting, world: World, sender: Sender) -> bool:
    """Whether a sender may try to connect now."""
    if sender.vain is None or not world.wan.stands:
        return True
    return any(each(setting.book.tries_again(sender.vain[1])))


def must_try(setting: Setting, world: World, sender: Sender) -> bool:
    """Whether it has to, where a receiver runs."""
    if sender.vain is None or not world.wan.stands:
        return True
    return all(each(setting.book.tries_again(sender.vain[0])))


def later(setting: Setting, world: World, name: str, sender: Sender, milliseconds: int) -> Sender:
    """The sender when time has leapt: where no receiver runs, it may have tried once more meanwhile."""
    if sender.vain is None:
        return sender
    least, most = (waited + milliseconds for waited in sender.vain)
    receivers = receivers_of(setting, world, setting.queues[name])
    tried = not receivers and any(each(setting.book.tries_again(most)))
    return replace(sender, vain=(0 if tried else least, most))


def unknown(sender: Sender) -> Sender:
    """The sender where it is not known when it tried last."""
    waits = sender.vain is not None or (sender.queue and not sender.wire)
    return replace(sender, vain=(0, LONG_MS) if waits else None)


def _is_cut(world: World, queue: QueueAttributes) -> bool:
    return world.wan.links.get((queue.site, queue.remote_site or 0)) is FaultKind.LINK_DOWN


def _runs(world: World, member: str) -> bool:
    return member not in world.wan.dead and member not in world.wan.stopped
