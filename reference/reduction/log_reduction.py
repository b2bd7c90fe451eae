"""The reduction of one example: what its logs fix need not be tried in other orders."""

from __future__ import annotations

from plumbline.reference.history.history import OrderStrength
from plumbline.reference.model.lookahead import Lookahead
from plumbline.reference.model.setting import Setting
from plumbline.reference.model.sites.delivery_paths import DeliveryPaths
from plumbline.reference.reduction.local_changes import LocalChanges
from plumbline.reference.reduction.received_changes import ReceivedChanges


class LogReduction:
    """A `Independence` by the logs of one example and by what is still to come in it.

    Args:
        setting: the example.
        foresight: what is still to come.
        strength: in which order the logs of members are.
    """

    def __init__(self, setting: Setting, lookahead: Lookahead, strength: OrderStrength) -> None:
        own = LocalChanges(setting, lookahead, strength)
        self.local_change = own.local_change
        self.dependences = own.dependences
        self.reading = own.reading
        self.sending = own.sending
        received = ReceivedChanges(setting, lookahead, DeliveryPaths(setting, lookahead))
        self.received_change = received.received_change
        self.passing_over = received.passing_over
        self.is_lost_for_good = received.is_lost_for_good
        self.discard = received.discard
