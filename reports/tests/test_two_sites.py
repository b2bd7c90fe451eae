"""The picture of two sites: sites apart, what crosses, what lasts, and what became of each operation."""

from __future__ import annotations

import msgspec
import pytest

from plumbline.reference.history.fault_kinds import Fault, FaultKind
from plumbline.reference.history.history import History
from plumbline.reference.history.moments import (
    Called,
    ContentsRead,
    FaultBegun,
    FaultDone,
    Moment,
    QueueAsked,
    QueueRead,
    Returned,
    Settled,
)
from plumbline.reference.history.operations import (
    Content,
    EventKind,
    OperationKind,
    Outcome,
    QueueRole,
    QueueSight,
    RegionAttributes,
    Site,
    Status,
    Topology,
)
from plumbline.reference.results.runs import DeadEnd
from plumbline.reports.diagram import MOST_BANDS, draw
from plumbline.reports.fates import DeliveryOutcome, missing
from plumbline.reports.shapes import Diagram
from plumbline.reports.spans import columns
from plumbline.reports.tests.samples import HOSTILE, operation, shown

OK = Outcome(Status.OK)
CUT = Fault(kind=FaultKind.LINK_DOWN, site=1, remote_site=2)
HEALED = Fault(kind=FaultKind.LINK_UP, site=1, remote_site=2)
CRASH = Fault(kind=FaultKind.CRASH, member="B")


def two_sites(*timeline: Moment, senders: tuple[str, ...] = ("to 2",), **fields: object) -> History:
    given: dict[str, object] = {
        "topology": Topology((Site(1, ("A", "B")), Site(2, ("C", "D")))),
        "regions": (RegionAttributes(name="r", senders=senders),),
        "logs": {},
    }
    return History(timeline=timeline, **{**given, **fields})  # type: ignore[arg-type]


def held(member: str, token: str | None) -> ContentsRead:
    return ContentsRead(9, member, "r", () if token is None else (Content("x", token),))


def put_and_settle(ends: dict[str, str | None], told: dict[str, tuple[str, ...]]) -> History:
    """One put of v1 on A; `ends` is what members hold in the end, `told` what their listeners were told."""
    return two_sites(
        Called(operation(1, "t", "A")),
        Returned(1, OK),
        Settled(),
        *(held(member, token) for member, token in ends.items()),
        logs={
            member: tuple(shown(member, token, 0, 3) for token in tokens) for member, tokens in told.items()
        },
    )


def cut_and_healed() -> History:
    return two_sites(
        FaultBegun(1, CUT),
        FaultDone(1, CUT),
        Called(operation(1, "t", "A")),
        Returned(1, OK),
        FaultBegun(2, HEALED),
        FaultDone(2, HEALED),
        Settled(),
        logs={
            "A": (shown("A", "v1", 2, 4),),
            "B": (shown("B", "v1", 2, 4),),
            "C": (shown("C", "v1", 2, 7), shown("C", "v1", 4, 7)),
            "D": (shown("D", "v1", 2, 7),),
        },
    )


def texts(diagram: Diagram) -> list[str]:
    return [label.text for label in diagram.labels]


def test_members_stand_under_their_sites_and_links_between_them() -> None:
    diagram = draw(cut_and_healed())
    assert [lane.name for lane in diagram.lanes] == ["t", "A", "B", "between sites", "C", "D"]
    lanes = {lane.name: lane for lane in diagram.lanes}
    assert [group.name for group in diagram.groups] == ["site 1", "site 2"]
    for group, (first, last) in zip(diagram.groups, (("A", "B"), ("C", "D")), strict=True):
        assert group.x == lanes[first].x
        assert group.x + group.width == pytest.approx(lanes[last].x + lanes[last].width)


def test_one_site_has_no_head_and_no_lane_of_links() -> None:
    history = msgspec.structs.replace(cut_and_healed(), topology=Topology((Site(1, ("A", "B")),)))
    assert draw(history).groups == ()
    assert "between sites" not in [lane.name for lane in draw(two_sites(Settled())).lanes]


def test_a_fault_is_a_band_from_its_beginning_to_its_mending() -> None:
    diagram = draw(cut_and_healed())
    rows = {label.text: label.y for label in diagram.numbers}
    (band,) = diagram.bands
    assert (band.kind, band.top, band.bottom) == ("link_down", rows["2"], rows["6"])
    assert [text for text in texts(diagram) if "→ 2" in text] == ["1 → 2 cut", "1 → 2 mended"]


def test_a_fault_that_is_never_mended_lasts_to_the_bottom() -> None:
    stop = Fault(kind=FaultKind.RECEIVER_STOP, member="C")
    (band,) = draw(two_sites(FaultBegun(1, stop), FaultDone(1, stop), Settled())).bands
    assert band.kind == "receiver_stop"
    assert band.bottom > draw(two_sites(FaultDone(1, stop), Settled())).rules[0].y


def test_a_dead_member_has_no_line_any_more() -> None:
    diagram = draw(two_sites(Settled(), FaultBegun(1, CRASH), FaultDone(1, CRASH), Settled()))
    until = {lane.name: lane.until for lane in diagram.lanes}
    assert until["A"] is None
    assert until["B"] is not None
    assert diagram.rules[0].y < until["B"] < diagram.rules[1].y
    assert diagram.bands == ()


def test_what_crosses_comes_from_the_callers_own_event_and_stands_below_it() -> None:
    diagram = draw(cut_and_healed())
    lanes = {lane.name: lane for lane in diagram.lanes}
    own = next(dot for dot in diagram.dots if dot.x == lanes["A"].axis)
    crossing = [wire for wire in diagram.wires if wire.crosses]
    assert {wire.dot_x for wire in crossing} == {lanes["C"].axis, lanes["D"].axis}
    assert all(wire.x == own.x and wire.dot_y > own.y for wire in crossing)
    assert {wire.dot_x for wire in diagram.wires if not wire.crosses} == {lanes["A"].axis, lanes["B"].axis}


def test_what_a_member_is_told_a_second_time_is_marked() -> None:
    diagram = draw(cut_and_healed())
    assert [dot.fate for dot in diagram.dots].count("again") == 1
    assert [text for text in texts(diagram) if text.startswith("again")] == ["again: update x = v1"]


@pytest.mark.parametrize(
    ("ends", "fate"),
    [
        ({"A": "v1", "C": "v1"}, DeliveryOutcome.DISCARDED),
        ({"A": "v2", "C": "v2"}, DeliveryOutcome.DISCARDED),
        ({"A": None, "C": None}, DeliveryOutcome.DISCARDED),
        ({"A": "v1", "C": None}, DeliveryOutcome.LOST),
        ({"A": "v1", "C": "v0"}, DeliveryOutcome.LOST),
        ({"A": "v1"}, DeliveryOutcome.UNTOLD),
    ],
)
def test_what_a_member_was_never_told_of_is_discarded_or_lost(
    ends: dict[str, str | None], fate: DeliveryOutcome
) -> None:
    history = put_and_settle(ends, {"A": ("v1",), "B": ("v1",), "C": (), "D": ("v1",)})
    assert [(one.member, one.fate) for one in missing(history)] == [("C", fate)]
    diagram = draw(history)
    assert [dot.fate for dot in diagram.dots if dot.fate] == [fate]
    assert f"{fate}: put x = v1 on A" in texts(diagram)


def test_what_may_wait_behind_a_fault_is_not_lost() -> None:
    whole = put_and_settle({"A": "v1", "B": None, "C": None}, {"A": ("v1",), "B": (), "C": ()})
    assert [(one.member, one.fate) for one in missing(whole)] == [
        ("B", DeliveryOutcome.LOST),
        ("C", DeliveryOutcome.LOST),
    ]
    cut = msgspec.structs.replace(whole, timeline=(FaultDone(1, CUT), *whole.timeline))
    assert [(one.member, one.fate) for one in missing(cut)] == [
        ("B", DeliveryOutcome.LOST),
        ("C", DeliveryOutcome.UNTOLD),
    ]
    mended = msgspec.structs.replace(cut, timeline=(FaultDone(1, CUT), FaultDone(2, HEALED), *whole.timeline))
    assert [(one.member, one.fate) for one in missing(mended)] == [
        ("B", DeliveryOutcome.LOST),
        ("C", DeliveryOutcome.LOST),
    ]


def test_nothing_is_missing_where_everybody_was_told() -> None:
    assert missing(put_and_settle({}, dict.fromkeys("ABCD", ("v1",)))) == ()


def test_what_did_not_happen_or_does_not_cross_is_not_missed() -> None:
    told = {"A": (shown("A", "v1", 0, 3),), "B": (shown("B", "v1", 0, 3),), "C": (), "D": ()}
    invalidate = two_sites(
        Called(operation(1, "t", "A", kind=OperationKind.INVALIDATE)),
        Returned(1, OK),
        Settled(),
        logs={
            member: tuple(shown(member, "v1", 0, 3, kind=EventKind.INVALIDATE) for _ in log)
            for member, log in told.items()
        },
    )
    assert missing(invalidate) == ()
    put = (Called(operation(1, "t", "A")), Returned(1, OK), Settled())
    assert missing(two_sites(*put, senders=(), logs=told)) == ()
    assert {one.member for one in missing(two_sites(*put, logs=told))} == {"C", "D"}
    refused = (Called(operation(1, "t", "A")), Returned(1, Outcome(Status.REFUSED)), Settled())
    assert missing(two_sites(*refused, logs=dict.fromkeys("ABCD", ()))) == ()


def test_the_dead_miss_nothing_and_before_the_last_settle_point_nothing_is_told() -> None:
    put = (Called(operation(1, "t", "A")), Returned(1, OK))
    logs = {"A": (shown("A", "v1", 0, 3),), "B": ()}
    assert {one.member for one in missing(two_sites(*put, Settled(), logs=logs))} == {"B"}
    assert missing(two_sites(*put, FaultBegun(1, CRASH), FaultDone(1, CRASH), Settled(), logs=logs)) == ()
    assert missing(two_sites(*put, logs=logs)) == ()


def test_what_would_be_right_stands_below_what_was_seen() -> None:
    history = put_and_settle({}, dict.fromkeys("ABCD", ("v1",)))
    end = DeadEnd(consumed=3, place="listener of C", due="update r[x] v1", offered=("update r[x] v0",))
    diagram = draw(history, (end,))
    labels = {label.text: label for label in diagram.labels}
    seen, allowed = labels["✗ update x = v1"], labels["  right: update r[x] v0"]
    assert seen.due
    assert not allowed.due
    assert (allowed.x, allowed.y > seen.y) == (seen.x, True)


def test_copies_of_a_queue_share_a_row_and_tell_what_they_hold() -> None:
    sights = {
        "A": QueueSight(depth=2, role=QueueRole.PRIMARY, tokens=("v1", None)),
        "B": QueueSight(depth=0, role=QueueRole.SECONDARY),
    }
    diagram = draw(
        two_sites(
            *(
                moment
                for number, (member, sight) in enumerate(sights.items())
                for moment in (QueueAsked(number, member, "q"), QueueRead(number, member, "q", sight))
            )
        )
    )
    assert texts(diagram) == ["queue q: primary, v1, ?", "queue q: secondary, empty"]
    assert len({label.y for label in diagram.labels}) == 1


def test_names_of_strangers_stay_on_one_short_line() -> None:
    history = two_sites(
        Called(operation(1, HOSTILE, HOSTILE)),
        Settled(),
        FaultDone(1, Fault(kind=FaultKind.CRASH, member=HOSTILE)),
        topology=Topology((Site(1, (HOSTILE,)), Site(2, ("C",)))),
        logs={HOSTILE: (shown(HOSTILE, "v1", 0, 2),), "C": (shown("C", "v1", 0, 2, key=HOSTILE),)},
    )
    diagram = draw(history)
    assert all(text.isprintable() and len(text) <= 40 for text in texts(diagram))


def test_faults_that_last_together_stand_beside_each_other() -> None:
    pauses = [Fault(kind=FaultKind.PAUSE, member="A", queue=f"q{number}") for number in range(3)]
    resume = Fault(kind=FaultKind.RESUME, member="A", queue="q0")
    first = [FaultDone(number, fault) for number, fault in enumerate(pauses[:2])]
    together = columns([*first, FaultDone(3, resume), FaultDone(4, pauses[2])], MOST_BANDS)
    assert [together[span] for span in together] == [0, 1, 0]
