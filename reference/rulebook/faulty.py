"""Faulty variants: rulebooks with one decision made wrong, each a mistake that an implementer could make.

They test the suite: the test of every requirement that a variant names must fail on it. Knows nothing of
how they are found out.
"""

from __future__ import annotations

from plumbline.reference.operations import OperationKind, Status
from plumbline.reference.rulebook.faulty_checking import CHECKING
from plumbline.reference.rulebook.faulty_clears import CLEARS
from plumbline.reference.rulebook.faulty_clients import CLIENTS
from plumbline.reference.rulebook.faulty_failover import FAILOVER
from plumbline.reference.rulebook.faulty_gateways import GATEWAYS
from plumbline.reference.rulebook.faulty_interests import INTERESTS
from plumbline.reference.rulebook.faulty_partitioned import PARTITIONED
from plumbline.reference.rulebook.faulty_policies import POLICIES
from plumbline.reference.rulebook.faulty_queues import QUEUES
from plumbline.reference.rulebook.faulty_resolvers import RESOLVERS
from plumbline.reference.rulebook.faulty_subscriptions import SUBSCRIPTIONS
from plumbline.reference.rulebook.faulty_tombstones import TOMBSTONES
from plumbline.reference.rulebook.faulty_transactions import TRANSACTIONS
from plumbline.reference.rulebook.values import EntryState, Stamp
from plumbline.reference.rulebook.variant import FaultyVariant, by_name, variant


def _destroy_keeps_version(stored: Stamp | None, member: str, kind: OperationKind) -> Stamp:
    version = 0 if stored is None else stored.version
    return Stamp(max(version, 1) if kind is OperationKind.DESTROY else version + 1, member)


def _keeps_old_signature(stored: Stamp | None, member: str, kind: OperationKind) -> Stamp:
    del kind
    return Stamp(1, member) if stored is None else Stamp(stored.version + 1, stored.member)


def _receiver_recounts(incoming: Stamp, stored: Stamp | None, receiver: str) -> Stamp:
    del receiver
    return Stamp(1 if stored is None else stored.version + 1, incoming.member)


def _receiver_signs(incoming: Stamp, stored: Stamp | None, receiver: str) -> Stamp:
    del stored
    return Stamp(incoming.version, receiver)


def _own_is_highest(member: str, other: str, order: tuple[str, ...], at: str) -> bool:
    return at != other and (at == member or order.index(member) > order.index(other))


def _rock_paper_scissors(member: str, other: str, order: tuple[str, ...], at: str) -> bool:
    del at
    return (order.index(member) - order.index(other)) % 3 == 1


FAULTY: dict[str, FaultyVariant] = by_name(
    (
        *CHECKING,
        *CLIENTS,
        *INTERESTS,
        *SUBSCRIPTIONS,
        *FAILOVER,
        *POLICIES,
        *GATEWAYS,
        *RESOLVERS,
        *PARTITIONED,
        *QUEUES,
        *TOMBSTONES,
        *TRANSACTIONS,
        *CLEARS,
        variant(
            "cluster-lock",
            "CONS-RR-01 EX-A3C3-01",
            "a hidden lock makes a writer wait until other members' writers of the key have finished",
            waits_for_other_writers=lambda others: others > 0,
        ),
        variant(
            "loser-is-told",
            "CONS-RR-02",
            "a call whose update some member discarded fails at its caller",
            status_of_loser=lambda status, discarded: Status.FAILED if discarded else status,
        ),
        variant(
            "stores-then-checks",
            "CONS-RR-03",
            "a losing value is stored first and taken back after the check",
            chaotic=True,
            stores_before_checking=lambda: True,
        ),
        variant(
            "skips-a-member",
            "CONS-RR-04",
            "updates are not sent to the last of the other members",
            recipients=lambda others: others[:-1] or others,
        ),
        variant(
            "keeps-old-value",
            "CONS-RR-05",
            "an update that is applied over a value announces itself and leaves the old value",
            value_stored=lambda incoming, stored: incoming if stored is None else stored,
        ),
        variant(
            "garbles-unchecked",
            "CFG-CHECKS-07",
            "with checking off, an update over a value leaves something that nobody wrote",
            value_stored_unchecked=lambda incoming, stored: (
                incoming if stored is None else f"{stored}+{incoming}"
            ),
        ),
        variant(
            "destroy-keeps-version",
            "VER-STAMP-02",
            "a destroy does not increase the version",
            stamp=_destroy_keeps_version,
        ),
        variant(
            "keeps-old-signature",
            "VER-STAMP-01",
            "a local change keeps the member id that was stored",
            stamp=_keeps_old_signature,
        ),
        variant(
            "receiver-recounts",
            "VER-STAMP-03",
            "a receiver counts versions by itself instead of storing the one that came",
            stamp_stored=_receiver_recounts,
        ),
        variant(
            "receiver-signs",
            "VER-STAMP-01 VER-STAMP-03",
            "a receiver stores its own member id with what it applied",
            stamp_stored=_receiver_signs,
        ),
        variant(
            "wants-no-gaps",
            "VER-CMP-01",
            "an update that skips a version is dropped",
            applies_newer=lambda gap: gap == 1,
        ),
        variant(
            "late-wins",
            "VER-CMP-02",
            "an update that arrives late is applied over a newer one",
            applies_older=lambda: True,
        ),
        variant(
            "destroys-always-win",
            "VER-OPS-01",
            "a destroy is applied without comparing versions",
            takes_part=lambda kind: kind is not OperationKind.DESTROY,
        ),
        variant(
            "invalidates-always-win",
            "VER-OPS-01",
            "an invalidate is applied without comparing versions",
            takes_part=lambda kind: kind is not OperationKind.INVALIDATE,
        ),
        variant(
            "tie-keeps-own",
            "VER-TIE-01 EX-A3C3-04",
            "at equal versions whatever is stored stays",
            applies_tie_of_higher=lambda: False,
        ),
        variant(
            "tie-last-wins",
            "VER-TIE-02 EX-A3C3-03",
            "at equal versions whatever arrives is applied",
            applies_tie_of_lower=lambda: True,
        ),
        variant(
            "own-is-highest",
            "VER-ID-01 EX-A3C3-05",
            "each member takes its own id for the highest",
            is_higher=_own_is_highest,
        ),
        variant(
            "rock-paper-scissors",
            "VER-ID-01 VER-TIE-03 EX-A3C3-05",
            "ids are compared in a circle: no id is the highest",
            is_higher=_rock_paper_scissors,
        ),
        variant(
            "applies-again",
            "VER-DUP-01",
            "a message that is delivered once more is applied and announced once more",
            applies_same_stamp=lambda: True,
        ),
        variant(
            "waits-for-everyone",
            "EX-A3C3-02",
            "an update is applied only when no concurrent one is still to come",
            applies_while_another_is_under_way=lambda: False,
        ),
        variant(
            "announces-losers",
            "DISC-LSN-01",
            "listeners are told of an update although it is discarded",
            announces_discarded=lambda: True,
        ),
        variant(
            "announces-twice",
            "DISC-LSN-01",
            "listeners are told twice of an update that replaces a concurrent one",
            announcements_of_applied=lambda overwrites: 2 if overwrites else 1,
        ),
        variant(
            "silent-winner",
            "DISC-APPLIED-01",
            "a winner that replaces a concurrent update is not announced",
            announcements_of_applied=lambda overwrites: 0 if overwrites else 1,
        ),
        variant(
            "nobody-counts",
            "STAT-CONFLATED-01",
            "discarded updates are not counted",
            counted_by=lambda receiver, caller: (),  # noqa: ARG005
        ),
        variant(
            "caller-counts",
            "STAT-CONFLATED-01 STAT-CONFLATED-02",
            "a discarded update is counted by the member that sent it",
            counted_by=lambda receiver, caller: (caller,),  # noqa: ARG005
        ),
        variant(
            "both-count",
            "STAT-CONFLATED-02",
            "a discarded update is counted by its receiver and by its sender",
            counted_by=lambda receiver, caller: (receiver, caller),
        ),
        variant(
            "counts-wins",
            "STAT-CONFLATED-01",
            "every update that arrives is counted, applied or not",
            counts_applied=lambda: True,
        ),
        variant(
            "image-forgets-tombstones",
            "VER-STAMP-04",
            "a member that takes a copy of the region is not told of destroyed entries",
            image_includes=lambda state: state is not EntryState.TOMBSTONE,
        ),
        variant(
            "image-forgets-the-invalid",
            "VER-STAMP-04",
            "a member that takes a copy of the region is not told of entries without a value",
            image_includes=lambda state: state is not EntryState.INVALID,
        ),
        variant(
            "unchecked-by-default",
            "CFG-CHECKS-01",
            "a region that does not name the attribute does not check",
            checks_in_force=lambda setting: setting is True,
        ),
    )
)
"""Every faulty variant by name."""
