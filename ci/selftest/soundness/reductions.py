"""Weakenings of the reductions that are parted from the model: each condition dropped, one at a time."""

from __future__ import annotations

from plumbline.ci.selftest.soundness.weakening import DroppedCondition
from plumbline.reference.reduction.client_queues import (
    Acknowledged,
    DroppedWhenSent,
    LeftAlone,
    PassedInSilence,
    PassedOver,
    PrimarySendsNothing,
    SecondaryKeepsNothing,
    SentInOneForm,
    SentSurely,
    ShownByClient,
    ShownNext,
)
from plumbline.reference.reduction.condition import Conditions
from plumbline.reference.reduction.durable_queues import (
    DroppedAsKnown,
    DroppedUnshown,
    RecognisedInLife,
    ShownInLife,
    SilentInLife,
)
from plumbline.reference.reduction.local_changes import ChangeFixedByLog
from plumbline.reference.reduction.partitioned_regions import (
    CarriedOutNext,
    PassedByMember,
    ReadingOfHolder,
    SentToCopies,
    TakenOverAlone,
    ToldNow,
    ToldOnce,
)
from plumbline.reference.reduction.received_changes import (
    LostForGood,
    NothingToDo,
    ReceiptFixedByLog,
    ShownInstead,
    UnshownByClient,
)
from plumbline.reference.reduction.remote_events import (
    AnsweredForGood,
    LostAsRefused,
    RefusedAtOnce,
    RefusedForGood,
    RemoteReceiptFixedByLog,
    RepeatedInSilence,
)

PARTED: tuple[type[Conditions], ...] = (
    *(ChangeFixedByLog, ReceiptFixedByLog, ShownInstead, NothingToDo, LostForGood),
    UnshownByClient,
    *(LeftAlone, ShownNext, ShownByClient, PassedInSilence, PassedOver, SentSurely),
    *(RecognisedInLife, ShownInLife, SilentInLife, DroppedUnshown, DroppedAsKnown),
    *(Acknowledged, DroppedWhenSent, SecondaryKeepsNothing, PrimarySendsNothing, SentInOneForm),
    *(ReadingOfHolder, CarriedOutNext, ToldNow, ToldOnce, SentToCopies, PassedByMember, TakenOverAlone),
    *(RemoteReceiptFixedByLog, RefusedForGood, RefusedAtOnce, LostAsRefused, RepeatedInSilence),
    AnsweredForGood,
)
"""The reductions whose conditions stand apart."""

REDUCTIONS: dict[str, DroppedCondition] = {
    one.without: DroppedCondition(reduction.__module__, reduction.__name__, one.without)
    for reduction in PARTED
    for one in reduction.conditions
}
"""Each condition of these, by what is wrong without it."""
