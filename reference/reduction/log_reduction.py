"""The reduction of one example: what its logs fix need not be tried in other orders."""

from __future__ import annotations

from plumbline.reference.history.history import OrderStrength
from plumbline.reference.model.lookahead import Lookahead
from plumbline.reference.model.setting import Setting
from plumbline.reference.model.sites.delivery_paths import DeliveryPaths
from plumbline.reference.reduction.client_queues import ClientQueues
from plumbline.reference.reduction.local_changes import LocalChanges
from plumbline.reference.reduction.partitioned_regions import PartitionedRegions
from plumbline.reference.reduction.received_changes import ReceivedChanges
from plumbline.reference.reduction.remote_events import RemoteEvents
from plumbline.reference.search.transition import Entry as Observation
from plumbline.reference.search.transition import Place, View


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
        ways = DeliveryPaths(setting, lookahead)
        received = ReceivedChanges(setting, lookahead, ways)
        self.received_change = received.received_change
        self.passing_over = received.passing_over
        self.is_lost_for_good = received.is_lost_for_good
        self.discard = received.discard
        self.is_shown_instead = received.is_shown_instead
        clients = ClientQueues(setting, lookahead)
        self.arrivals = clients.arrivals
        self.recognition = clients.recognition
        self.acknowledgement = clients.acknowledgement
        self.dropping = clients.dropping
        self.drops_later = clients.drops_later
        self.passing_on = clients.passing_on
        self.is_unseen_in_queue = clients.is_unseen_in_queue
        self.form_in_queue = clients.form_in_queue
        primaries = PartitionedRegions(setting, lookahead)
        self.reading_of_holder = primaries.reading_of_holder
        self.carrying_out = primaries.carrying_out
        self.is_told_now = primaries.is_told_now
        self.likelihood_of_telling_late = primaries.likelihood_of_telling_late
        self.telling_late = primaries.telling_late
        self.sending_to_copies = primaries.sending_to_copies
        self.passing_by = primaries.passing_by
        self.heir = primaries.heir
        self.takeover = primaries.takeover
        remote = RemoteEvents(setting, lookahead, ways)
        self.may_show_later = remote.may_show_later
        self.remote_change = remote.remote_change
        self.remote_dependences = remote.remote_dependences
        self.refusal = remote.refusal
        self.repetition = remote.repetition
        self.answering = remote.answering
        self.answer_dependences = remote.answer_dependences
        self.is_looked_behind = remote.is_looked_behind

    @staticmethod
    def may_show(view: View, place: Place, entry: Observation) -> bool:
        """See `Independence`."""
        return view.fits(place, entry)
