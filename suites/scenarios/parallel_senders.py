"""Parallel gateway senders: who sends what, in which order, and what outlives a member (document 002).

The sender is paused, or its link is cut, wherever events are to gather.
"""

from __future__ import annotations

from plumbline.reference.catalogue.capabilities import Capability
from plumbline.reference.history.operations import Operation, OperationKind
from plumbline.suites.scenarios.parted_sites import PartedSites
from plumbline.suites.scenarios.scenario import from_buckets

LOOKS = (Capability.QUEUE_INSPECTION,)
GATES = (Capability.LISTENER_GATES,)
CRASHES = (Capability.MEMBER_FAULTS,)
MOVES = (Capability.BUCKET_MOVES,)
LINKS = (Capability.LINK_FAULTS,)
CLOCKS = (Capability.SITE_CLOCKS,)


def put_of_each(s: PartedSites, count: int = 2) -> dict[str, list[Operation]]:
    """Put some keys of every primary several times, from the members in turn: what was put, key by key."""
    keys = [key for member in s.here for key in s.keys_of(member, 1)]
    written: dict[str, list[Operation]] = {key: [] for key in keys}
    for number in range(count):
        for key in keys:
            written[key].append(s.put(s.here[number % len(s.here)], key))
    return written


def all_arrive(s: PartedSites, written: dict[str, list[Operation]]) -> None:
    for key, puts in written.items():
        s.arrives(key, *puts)


@from_buckets("PAR-ACTIVE-01", "SHQ-CREATE-01")
def what_each_member_is_primary_for_reaches_the_other_site(s: PartedSites) -> None:
    written = put_of_each(s)
    s.settle()
    all_arrive(s, written)


@from_buckets("PAR-ACTIVE-01", redundancy=0)
def what_each_member_is_primary_for_arrives_without_redundancy(s: PartedSites) -> None:
    written = put_of_each(s)
    s.settle()
    all_arrive(s, written)


@from_buckets("PAR-ACTIVE-01", redundancy=2)
def only_the_primary_of_a_key_sends_it(s: PartedSites) -> None:
    """The sender is paused on the primary of a key alone: its events wait, those of others arrive."""
    paused = s.primary("x")
    s.pause(paused)
    mine = s.put(s.here[0], "x")
    others = {
        key: s.put(s.here[-1], key) for member in s.here if member != paused for key in s.keys_of(member, 1)
    }
    s.settle()
    for key, put in others.items():
        s.arrives(key, put)
    s.has_not_arrived(mine)
    s.resume(paused)
    s.settle()
    s.arrives("x", mine)


@from_buckets("PAR-ACTIVE-01", redundancy=2)
def members_without_the_primary_bucket_send_nothing_of_it(s: PartedSites) -> None:
    """The sender is paused on all members but the primary of a key: its events arrive."""
    primary = s.primary("x")
    s.pause(*(member for member in s.here if member != primary))
    puts = [s.put(member, "x") for member in s.here]
    s.settle()
    s.arrives("x", *puts)


@from_buckets("ARCH-THREAD-02", needs=GATES)
def a_member_sends_though_the_events_of_another_are_unanswered(s: PartedSites) -> None:
    """An event of one primary stands at the receiver: what another is primary for arrives."""
    receiver, *_ = s.there
    s.receive_at(receiver)
    other = s.elsewhere("x")
    first = s.park(receiver, s.here[0], "x")
    second = s.hold(receiver, s.here[0], other)
    s.stands(receiver, second)
    s.settle()
    s.arrives("x", first)
    s.arrives(other, second)


@from_buckets("PAR-ORDER-01")
def events_of_a_key_cross_in_the_order_of_its_bucket(s: PartedSites) -> None:
    """While nothing is sent, members write several keys in turn: of each key the order is kept."""
    s.pause()
    written = put_of_each(s, 4)
    s.resume()
    s.settle()
    all_arrive(s, written)


@from_buckets("PAR-ORDER-01", batch_size=2)
def events_of_a_key_cross_in_order_in_many_batches(s: PartedSites) -> None:
    """A key is put again and again, another is created and destroyed, and batches hold two events."""
    s.pause()
    puts = [s.put(member, "x") for _ in range(2) for member in s.here]
    other = s.elsewhere("x")
    for member in s.here[:2]:
        s.put(member, other)
        s.do(member, OperationKind.DESTROY, other)
    last = s.put(s.here[0], other)
    s.resume()
    s.settle()
    s.arrives("x", *puts)
    for member in s.there:
        s.holds(member, other, last)


@from_buckets("PAR-ORDER-01", "SHQ-FIFO-02", needs=LINKS)
def events_of_a_key_keep_their_order_when_they_are_sent_again(s: PartedSites) -> None:
    """Answers are lost, and the link is mended: what was sent once more changes nothing."""
    s.lose_replies()
    written = put_of_each(s)
    s.heal()
    s.settle()
    all_arrive(s, written)


def lies_with_its_bucket(s: PartedSites) -> None:
    s.pause()
    written = put_of_each(s)
    s.settle()
    s.holders_hold(written)
    s.resume()
    s.settle()
    all_arrive(s, written)
    s.holders_hold({})


@from_buckets("SHQ-TYPE-02", "PAR-COLOC-01", "REM-PARALLEL-03", needs=LOOKS)
def a_senders_event_lies_where_the_bucket_of_its_key_lies(s: PartedSites) -> None:
    lies_with_its_bucket(s)


@from_buckets("SHQ-TYPE-02", redundancy=0, needs=LOOKS)
def a_senders_event_without_redundancy_lies_on_its_primary_alone(s: PartedSites) -> None:
    lies_with_its_bucket(s)


@from_buckets("PAR-REDUND-02", "REM-PARALLEL-03", redundancy=2, needs=LOOKS)
def every_redundant_copy_of_a_sender_holds_what_waits(s: PartedSites) -> None:
    lies_with_its_bucket(s)


@from_buckets("REM-PARALLEL-02", needs=LOOKS)
def what_waits_in_other_buckets_stays_in_their_copies(s: PartedSites) -> None:
    """One of two primaries is paused: what the other has sent leaves its copies, the rest stays."""
    other = s.elsewhere("x")
    s.pause(s.primary(other))
    sent, kept = s.put(s.here[0], "x"), [s.put(s.here[0], other) for _ in range(2)]
    s.settle()
    s.arrives("x", sent)
    s.holders_hold({other: kept})


@from_buckets("PAR-REDUND-01", needs=GATES)
def a_senders_event_is_in_the_redundant_copy_before_it_is_sent(s: PartedSites) -> None:
    """An update stands in the region listener of its redundant copy: it is sent only then."""
    for key in ("x", s.elsewhere("x")):
        update = s.park(s.copy(key), s.without(key), key)
        s.is_held_back(update)
        s.has_not_arrived(update)
        s.release(update)
        s.settle()
        s.arrives(key, update)


def waits_and_dies(s: PartedSites, *, hold: bool) -> tuple[str, dict[str, list[Operation]]]:
    """Events of several keys of one primary wait behind a pause or a cut link, and it is killed."""
    lost = s.primary("x")
    keys = ["x", *s.keys_of(lost, 1)]
    if hold:
        s.pause()
    else:
        s.cut()
    written: dict[str, list[Operation]] = {key: [] for key in keys}
    for _ in range(3):
        for key in keys:
            written[key].append(s.put(s.survivor(lost), key))
    s.crash(lost)
    return lost, written


@from_buckets("PAR-FAILOVER-01", needs=CRASHES)
def a_new_primary_sends_what_waits_in_order_and_without_loss(s: PartedSites) -> None:
    _, written = waits_and_dies(s, hold=True)
    s.resume()
    s.settle()
    all_arrive(s, written)


@from_buckets("PAR-FAILOVER-01", needs=(*CRASHES, *LINKS))
def a_new_primary_sends_later_events_behind_those_that_wait(s: PartedSites) -> None:
    lost, written = waits_and_dies(s, hold=False)
    s.settle()
    for key in written:
        written[key].append(s.put(s.survivor(lost), key))
    s.heal()
    s.settle()
    all_arrive(s, written)


@from_buckets("PAR-FAILOVER-01", needs=CRASHES)
def what_waits_is_sent_by_the_new_primary_though_the_old_one_runs_again(s: PartedSites) -> None:
    lost, written = waits_and_dies(s, hold=True)
    s.restart(lost)
    for key in written:
        written[key].append(s.put(lost, key))
    s.resume()
    s.settle()
    all_arrive(s, written)


def waits_and_moves(s: PartedSites, heir: str) -> None:
    """Events of two keys wait, and the primary of one moves: all cross in the order of their keys."""
    old = s.primary("x")
    s.pause()
    written = {key: [s.put(member, key) for member in s.here[:2]] for key in ("x", *s.keys_of(old, 1))}
    s.move("x", heir)
    for key, of_key in written.items():
        of_key.append(s.put(old, key))
    s.resume()
    s.settle()
    all_arrive(s, written)


@from_buckets("PAR-FAILOVER-01", needs=MOVES)
def what_waits_is_sent_by_the_member_to_which_its_primary_moves(s: PartedSites) -> None:
    waits_and_moves(s, s.copy("x"))


@from_buckets("PAR-FAILOVER-01", "PAR-COLOC-01", redundancy=0, needs=MOVES)
def what_waits_moves_with_its_bucket_and_crosses_from_there(s: PartedSites) -> None:
    waits_and_moves(s, s.without("x"))


@from_buckets("PAR-ACTIVE-01", needs=MOVES)
def a_member_whose_primary_has_moved_sends_nothing_of_it_any_more(s: PartedSites) -> None:
    """The new primary is paused: what is put crosses once it goes on, and not before."""
    heir = s.copy("x")
    first = s.put(s.primary("x"), "x")
    s.settle()
    s.move("x", heir)
    s.pause(heir)
    behind = [s.put(member, "x") for member in s.here]
    s.settle()
    s.has_not_arrived(*behind)
    s.resume()
    s.settle()
    s.arrives("x", first, *behind)


@from_buckets("REM-PARALLEL-05", "PAR-FAILOVER-01", needs=(*MOVES, *CRASHES, *LINKS))
def what_was_sent_without_an_answer_survives_a_move_and_a_death(s: PartedSites) -> None:
    """Answers are lost, the primary moves, and the new one dies: the old one sends what is left."""
    old, heir = s.primary("x"), s.copy("x")
    s.lose_replies()
    puts = [s.put(old, "x") for _ in range(2)]
    s.settle()
    s.move("x", heir)
    puts.append(s.put(old, "x"))
    s.crash(heir)
    s.heal()
    s.settle()
    puts.append(s.put(old, "x"))
    s.settle()
    s.arrives("x", *puts)


@from_buckets("REM-PARALLEL-05", "PAR-FAILOVER-01", needs=(*CRASHES, *LINKS))
def what_a_dead_primary_had_sent_without_an_answer_is_sent_again(s: PartedSites) -> None:
    """Answers are lost, and the primary is killed: no event is lost, and none comes out of order."""
    lost = s.primary("x")
    s.lose_replies()
    puts = [s.put(s.survivor(lost), "x") for _ in range(3)]
    s.settle()
    s.crash(lost)
    s.heal()
    s.settle()
    puts.append(s.put(s.survivor(lost), "x"))
    s.settle()
    s.arrives("x", *puts)


@from_buckets("REM-PARALLEL-04", "REM-PARALLEL-05", needs=(*CRASHES, *GATES))
def what_has_not_been_answered_stays_in_the_redundant_copy(s: PartedSites) -> None:
    """An event stands at the receiver with others behind it, and both its primary and that one die.

    The new primary is paused meanwhile: a receiver that is sent the event once more may answer it.
    """
    receiver, *_ = s.there
    s.receive_at(receiver)
    lost = s.primary("x")
    puts = [s.park(receiver, s.survivor(lost), "x")]
    puts += [s.put(s.survivor(lost), "x") for _ in range(2)]
    s.pause(*(member for member in s.here if member != lost))
    s.crash(lost)
    s.crash(receiver)
    for member in s.there:
        if member in s.members:
            s.start_receiver(member)
    s.resume()
    s.settle()
    s.arrives("x", *puts)


@from_buckets("REM-PARALLEL-04", needs=(*CRASHES, *LINKS))
def what_other_members_have_sent_is_no_loss_of_a_new_primary(s: PartedSites) -> None:
    """All has crossed, then the primary of a key is killed: what is put from then on crosses, too."""
    written = put_of_each(s)
    s.settle()
    lost = s.primary("x")
    s.crash(lost)
    s.settle()
    for key in written:
        written[key].append(s.put(s.survivor(lost), key))
    s.settle()
    all_arrive(s, written)


@from_buckets("SHQ-CREATE-01", also=("other",))
def two_regions_share_one_parallel_sender(s: PartedSites) -> None:
    """What is put into either region crosses."""
    puts = {key: s.put(s.here[0], key) for key in ("x", s.elsewhere("x"))}
    others = {key: s.put_in("other", s.here[-1], key) for key in ("y", "z")}
    s.settle()
    all_arrive(s, {key: [put] for key, put in puts.items()})
    for member in s.there:
        for key, put in others.items():
            s.holds_in("other", member, key, put)


@from_buckets("PAR-ACTIVE-01", "PAR-ORDER-01", needs=CLOCKS)
def what_each_member_is_primary_for_crosses_while_time_is_held(s: PartedSites) -> None:
    """Time stands, and then a second passes: what has gathered arrives in the order of its keys."""
    s.hold_time()
    written = put_of_each(s)
    s.leap(1_000)
    s.settle()
    all_arrive(s, written)
    s.let_run()
