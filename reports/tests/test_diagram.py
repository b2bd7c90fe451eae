"""The picture: nothing overlaps, order is kept, and wrong histories are drawn, too."""

from __future__ import annotations

from itertools import pairwise
from typing import get_args

import msgspec
import pytest

from plumbline.reference.history.history import History
from plumbline.reference.history.moments import (
    Armed,
    Called,
    ContentsAsked,
    ContentsRead,
    Gate,
    Moment,
    Registered,
    Released,
    Returned,
    Settled,
    StatisticRead,
)
from plumbline.reference.history.operations import (
    Client,
    Content,
    Interest,
    Outcome,
    RegionAttributes,
    Status,
)
from plumbline.reference.results.runs import DeadEnd, Difference
from plumbline.reports.diagram import LETTER, MOST_LANES, MOST_ROWS, ROW, draw
from plumbline.reports.shapes import Diagram
from plumbline.reports.tests.samples import (
    HOSTILE,
    hostile_counterexample,
    long_history,
    operation,
    shown,
    topology,
    worked_example,
)
from plumbline.reports.timeline import MOST_IDLE, TimelineRow, arrange, due_words

HISTORIES = {
    "worked": worked_example(),
    "long": long_history(),
    "hostile": hostile_counterexample().history,
    "empty": History(topology=topology(), regions=(), timeline=(), logs={}),
}


def history(*timeline: Moment, **fields: object) -> History:
    given: dict[str, object] = {
        "topology": topology("A", "B"),
        "regions": (RegionAttributes(name="r"),),
        "logs": {},
    }
    return History(timeline=timeline, **{**given, **fields})  # type: ignore[arg-type]


@pytest.fixture(params=HISTORIES)
def diagram(request: pytest.FixtureRequest) -> Diagram:
    return draw(HISTORIES[request.param])


def test_labels_stay_in_their_lanes_and_never_share_a_place(diagram: Diagram) -> None:
    places = [(label.x, label.y) for label in diagram.labels]
    assert len(set(places)) == len(places)
    for label in diagram.labels:
        lane = next(lane for lane in diagram.lanes if lane.x <= label.x < lane.x + lane.width)
        assert label.x + len(label.text) * LETTER <= lane.x + lane.width


def test_lanes_stand_side_by_side_and_fill_the_width(diagram: Diagram) -> None:
    lanes = [lane for lane in diagram.lanes if lane.kind != "call"]
    for left, right in pairwise(lanes):
        assert left.x + left.width == pytest.approx(right.x)
    heights = [dot.y for dot in diagram.dots] + [label.y for label in diagram.labels]
    assert all(y <= diagram.height for y in heights)


def test_every_call_event_and_reading_of_the_worked_example_is_drawn() -> None:
    diagram = draw(worked_example())
    assert [lane.name for lane in diagram.lanes] == ["t1", "t2", "A", "B", "C"]
    assert sorted(bar.number for bar in diagram.bars) == ["1", "2", "3"]
    assert sorted(dot.number for dot in diagram.dots if not dot.fate) == [
        "1",
        "1",
        "1",
        "2",
        "2",
        "3",
        "3",
        "3",
    ]
    assert len(diagram.marks) == 4
    assert len(diagram.bands) == 2
    assert len(diagram.rules) == 2
    assert diagram.left_out == ()


def test_a_bar_reaches_from_the_call_to_the_return() -> None:
    diagram = draw(worked_example())
    rows = {label.text: label.y for label in diagram.numbers}
    bar = next(bar for bar in diagram.bars if bar.number == "2")
    assert (bar.top, bar.bottom) == (rows["6"], rows["13"])
    assert bar.began
    assert bar.ended


def test_a_call_without_a_return_reaches_the_bottom_with_an_open_end() -> None:
    (bar,) = draw(history(Called(operation(1, "t", "A")))).bars
    assert not bar.ended
    assert bar.bottom > bar.top


def test_a_return_without_a_call_begins_at_the_top() -> None:
    diagram = draw(
        history(
            Called(operation(1, "t", "A")), Returned(1, Outcome(Status.OK)), Returned(1, Outcome(Status.OK))
        )
    )
    assert [bar.began for bar in diagram.bars] == [True, False]


def test_dots_of_a_member_keep_the_order_of_its_log() -> None:
    past = worked_example()
    diagram = draw(past)
    for lane in diagram.lanes[2:]:
        dots = sorted((dot.y, dot.number) for dot in diagram.dots if dot.x == lane.axis and not dot.fate)
        tokens = [entry.event.token for entry in past.logs[lane.name]]
        assert [f"v{number}" for _, number in dots] == tokens


def test_an_event_is_below_its_call() -> None:
    diagram = draw(long_history())
    tops = {bar.number: bar.top for bar in diagram.bars}
    assert diagram.dots
    assert all(dot.y > tops[dot.number] for dot in diagram.dots)


def test_an_event_is_not_drawn_before_its_window() -> None:
    past = history(
        Called(operation(1, "t", "A")),
        Returned(1, Outcome(Status.OK)),
        logs={"B": (shown("B", "v1", 2, 2),)},
    )
    (dot,) = draw(past).dots
    assert dot.y > max(label.y for label in draw(past).numbers)


def test_a_dot_never_stands_above_one_that_comes_before_it_in_the_log() -> None:
    past = history(
        *(Called(operation(number, f"t{number}", "A")) for number in (1, 2)),
        logs={"B": (shown("B", "v2", 0, 2), shown("B", "v1", 0, 2))},
    )
    dots = sorted(draw(past).dots, key=lambda dot: dot.y)
    assert [dot.number for dot in dots] == ["2", "1"]


def test_an_event_that_was_shown_before_its_call_is_drawn_before_it() -> None:
    past = history(Called(operation(1, "t", "A")), logs={"B": (shown("B", "v1", 0, 0),)})
    diagram = draw(past)
    assert diagram.dots[0].y < diagram.bars[0].top


def test_an_event_of_no_operation_is_marked_by_a_question_mark() -> None:
    diagram = draw(history(Called(operation(1, "t", "A")), logs={"B": (shown("B", "foreign", 0, 1),)}))
    assert diagram.dots[0].number == "?"
    assert diagram.dots[0].hue is None


def test_gates_that_are_open_together_stand_beside_each_other() -> None:
    first, second = Gate("A", 1), Gate("A", 2)
    diagram = draw(history(Armed(first), Armed(second), Released(first), Released(second)))
    assert len({band.x for band in diagram.bands}) == 2
    assert all(band.x + 8 < diagram.lanes[0].axis for band in diagram.bands)


def test_gates_that_follow_each_other_stand_below_each_other() -> None:
    first, second = Gate("A", 1), Gate("A", 2)
    diagram = draw(history(Armed(first), Released(first), Armed(second), Released(second)))
    assert len({band.x for band in diagram.bands}) == 1
    assert diagram.bands[0].bottom < diagram.bands[1].top


def test_a_gate_that_is_never_opened_reaches_the_bottom() -> None:
    (band,) = draw(history(Armed(Gate("A", 1)), Called(operation(1, "t", "A")))).bands
    assert band.bottom > ROW * 2


def test_events_of_several_members_share_a_row_but_not_those_of_one() -> None:
    logs = {member: tuple(shown(member, None, 0, 0) for _ in range(3)) for member in "AB"}
    diagram = draw(history(logs=logs))
    assert len(diagram.dots) == 6
    assert len({dot.y for dot in diagram.dots}) == 3


def test_of_an_immense_history_the_end_is_drawn_and_the_cut_is_told() -> None:
    diagram = draw(long_history(3_000))
    assert len(diagram.labels) <= MOST_ROWS
    assert "Only the last" in diagram.left_out[0]
    assert max(int(label.text) for label in diagram.numbers) == len(long_history(3_000).timeline)


def test_of_a_crowd_of_threads_some_are_left_out_and_told_but_no_member_is() -> None:
    calls = [Called(operation(number, f"t{number}", "A")) for number in range(100)]
    diagram = draw(history(*calls))
    assert len(diagram.lanes) == MOST_LANES
    assert [lane.name for lane in diagram.lanes if lane.kind == "member"] == ["A", "B"]
    assert diagram.left_out == (f"Only {MOST_LANES} of 102 lanes are drawn.",)


def test_the_longest_texts_do_not_widen_the_picture() -> None:
    wide = hostile_counterexample(HOSTILE * 5_000)
    assert draw(wide.history).width < 1_000


@pytest.mark.parametrize("name", HISTORIES)
def test_the_arranged_history_holds_every_moment_and_event_once(name: str) -> None:
    past = HISTORIES[name]
    entries = arrange(past)
    moments = [entry.moment for entry in entries if entry.moment is not None]
    assert tuple(moments) == past.timeline
    for member, log in past.logs.items():
        assert tuple(entry.shown for entry in entries if entry.shown and entry.place == member) == log


def test_what_members_hold_is_listed_side_by_side_under_one_range_of_numbers() -> None:
    asked = [
        moment
        for number, member in enumerate("AB")
        for moment in (
            ContentsAsked(number, member, "r"),
            ContentsRead(number, member, "r", (Content("x", "v1"), Content("y", None), Content("z", "v2"))),
        )
    ]
    diagram = draw(history(Settled(), *asked, Settled()))
    assert len({mark.y for mark in diagram.marks}) == 1
    assert [label.text for label in diagram.numbers] == ["1", "3–5", "6"]  # noqa: RUF001
    assert [label.text.strip() for label in diagram.labels] == ["holds x = v1", "y = invalid", "z = v2"] * 2
    assert diagram.rules[1].y > max(label.y for label in diagram.labels)


def test_readings_of_one_member_stand_below_each_other() -> None:
    reads = [StatisticRead(number, "A", "conflatedEvents", number) for number in range(3)]
    assert len({mark.y for mark in draw(history(*reads)).marks}) == 3


def test_long_contents_are_cut_and_the_cut_is_told() -> None:
    entries = tuple(Content(f"k{number}", "v") for number in range(50))
    labels = draw(history(ContentsRead(0, "A", "r", entries))).labels
    assert labels[-1].text.strip() == "… and 38 more"
    assert len(labels) == 13


@pytest.mark.parametrize(
    ("place", "due", "marked"),
    [
        ("listener of B, r[x]", "update r[x] v2", ["✗ update x = v2"]),
        ("listener of B", "update r[x] v3", ["✗ update x = v3"]),
        ("outcome of operation 2", "exists", ["✗ → ok"]),
        (
            "timeline",
            "contents_read number=1 member=B region=r entries=({'key': 'x', 'token': 'v2'},)",
            ["✗ holds x = v2"],
        ),
        (
            "timeline",
            "statistic_read number=3 member=C name=conflatedEvents delta=1",
            ["✗ conflatedEvents moved by +1"],
        ),
        ("timeline", "settled held=()", []),  # there are two
        ("timeline", "parked gate={'member': 'C', 'op_id': 3}", ["✗ #3 parked at the gate"]),
        ("listener of B, r[x]", "update r[x] v9", []),
        ("somewhere else", "update r[x] v2", []),
        ("", "", []),
    ],
)
def test_what_was_due_at_the_furthest_dead_end_is_marked(place: str, due: str, marked: list[str]) -> None:
    nearer = DeadEnd(consumed=4, place="listener of A", due="update r[x] v3")
    ends = (DeadEnd(consumed=5, place=place, due=due), nearer)
    diagram = draw(worked_example(), ends)
    found = [label.text for label in diagram.labels if label.due]
    found += [rule.text for rule in diagram.rules if rule.due]
    assert found == marked
    assert sum(dot.due for dot in diagram.dots) == sum("update" in text for text in marked)


def differing(**fields: object) -> Difference:
    given = {"place": "somewhere", "right": "v3", "seen": "v2", "instead": "nothing more", "member": "B"}
    return Difference(**{**given, **fields})  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("difference", "marked", "right"),
    [
        (differing(position=2), ["✗ update x = v2"], ["  right: nothing more"]),
        (differing(read="r", position=17, instead="x = v3"), ["✗ holds x = v2"], ["  right: x = v3"]),
        (differing(read="r"), [], []),
        (differing(read="r", position=10**9), [], []),
        (differing(position=3), [], []),
        (differing(position=-1), [], []),
        (differing(member="Z", position=0), [], []),
        (differing(member="", read=""), [], []),
    ],
)
def test_what_is_not_as_in_the_nearest_right_run_is_marked(
    difference: Difference, marked: list[str], right: list[str]
) -> None:
    diagram = draw(worked_example(), (), (difference,))
    assert [label.text for label in diagram.labels if label.due] == marked
    assert [label.text for label in diagram.labels if "right: " in label.text] == right


def test_dead_ends_are_marked_only_where_no_right_run_is_known() -> None:
    ends = (DeadEnd(consumed=5, place="outcome of operation 2", due="ok"),)
    for nearest, marked in (((), "✗ → ok"), ((differing(position=2),), "✗ update x = v2")):
        (label,) = (label for label in draw(worked_example(), ends, nearest).labels if label.due)
        assert label.text == marked


def test_a_client_stands_behind_the_members_under_its_own_word() -> None:
    past = msgspec.structs.replace(
        history(Called(operation(1, "t", "A")), logs={"K": (shown("K", "v1", 0, 1),)}),
        clients=(Client(name="K", servers=("A",)),),
    )
    assert [(lane.kind, lane.name) for lane in draw(past).lanes][1:] == [
        ("member", "A"),
        ("member", "B"),
        ("client", "K"),
    ]


def test_more_than_a_few_threads_stand_close_with_one_column_for_what_is_said_of_them() -> None:
    calls = [Called(operation(number, f"t{number}", "A")) for number in range(1, 7)]
    returns = [Returned(number, Outcome(Status.OK)) for number in range(1, 7)]
    diagram = draw(history(*calls, *returns))
    assert [lane.kind for lane in diagram.lanes] == ["threads", *["call"] * 5, "member", "member"]
    assert diagram.lanes[0].name == "t1, t2, t3, t4, t5, t6"
    axes = sorted({bar.x for bar in diagram.bars})
    assert len(axes) == 6
    (column,) = {label.x for label in diagram.labels}
    assert axes[-1] + 11 < column, "no bar hides what is said of it"
    assert [label.text for label in diagram.labels][5:7] == ["t6: put x = v6 on A", "#1 → ok"]


@pytest.mark.parametrize("kind", get_args(Moment))
def test_every_kind_of_moment_has_words_and_a_place(kind: type[Moment]) -> None:
    given = {
        "operation": msgspec.to_builtins(operation(1, "t", "A")),
        "outcome": {"status": "ok"},
        "gate": {"member": "A", "op_id": 1},
        "op_id": 1,
        "number": 1,
        "member": "A",
        "region": "r",
        "entries": (),
        "name": "conflatedEvents",
        "delta": 1,
        "fault": {"kind": "crash", "member": "A"},
        "queue": "there",
        "key": "k",
        "primary": "A",
        "sight": {"depth": 1, "role": "primary"},
        "interest": {"client": "A", "region": "r"},
        "refuses": ("x",),
        "answers": ("false",),
        "asked": False,
        "checks": True,
        "client": "A",
        "status": "ok",
    }
    moment: Moment = msgspec.convert({"type": kind.__struct_config__.tag, **given}, kind)
    (entry,) = arrange(history(moment))
    assert entry.words
    assert draw(history(moment)).numbers[0].text == "1"


def test_many_threads_that_call_one_after_the_other_share_lanes_by_member() -> None:
    timeline: list[Moment] = []
    for number in range(1, 31):
        thread, member = f"{'AB'[number % 2]}-{number}", "AB"[number % 2]
        timeline.append(Called(operation(number, thread, member)))
        if number > 1:
            timeline.append(Returned(number - 1, Outcome(Status.OK)))
    diagram = draw(history(*timeline))
    assert [lane.kind for lane in diagram.lanes] == ["threads", "threads", "member", "member"]
    calls = [label for label in diagram.labels if "put" in label.text]
    assert len(calls) == 30
    for label in calls:
        assert label.text.startswith(("A-", "B-")), "the thread is named beside its call"
    for lane in diagram.lanes[:2]:
        assert len({label.text[0] for label in calls if lane.x <= label.x < lane.x + lane.width}) == 1


def test_bars_of_a_lane_never_overlap() -> None:
    for past in HISTORIES.values():
        bars = sorted((bar.x, bar.top, bar.bottom) for bar in draw(past).bars)
        for one, following in pairwise(bars):
            assert one[0] != following[0] or one[2] < following[1]


def test_a_few_threads_have_a_lane_each() -> None:
    assert [lane.kind for lane in draw(worked_example()).lanes] == ["thread"] * 2 + ["member"] * 3


def test_what_was_due_is_told_in_the_words_of_the_story_where_it_is_found_there() -> None:
    entries = arrange(worked_example())
    due = "statistic_read number=3 member=C name=conflatedEvents delta=1"
    found = DeadEnd(consumed=5, place="timeline", due=due)
    assert due_words(entries, found) == "C: conflatedEvents moved by +1"
    assert due_words(entries, DeadEnd(consumed=5, place="elsewhere", due="a riddle")) == "a riddle"


def test_a_row_without_a_moment_is_meant_by_no_dead_end_of_the_timeline() -> None:
    call = TimelineRow("A", "calls the listener of queue q", 3, None)
    assert (
        due_words((call,), DeadEnd(consumed=3, place="timeline", due="settled held=()")) == "settled held=()"
    )


def test_a_registration_is_told_whole_without_what_its_lane_says() -> None:
    interest = Interest(client="K", region="r", specification="", policy="keys_values", receive_values=False)
    clients = (Client(name="K", servers=("A",)),)
    past = history(Registered(interest), Registered(interest, refused=True), clients=clients)
    drawn = [label.text for label in draw(past).labels]
    how = "  keys_values, without values"
    assert drawn == ["registers for all", how, "registers for all: refused", how]
    two = msgspec.structs.replace(past, regions=(RegionAttributes(name="r"), RegionAttributes(name="s")))
    assert "registers for all of r" in [label.text for label in draw(two).labels]


def test_many_statistics_that_did_not_move_do_not_hide_what_is_wrong() -> None:
    def moved(number: int, delta: int) -> StatisticRead:
        return StatisticRead(number=number, member="A", name="conflatedEvents", delta=delta)

    idle = [moved(number, 0) for number in range(MOST_IDLE + 1)]
    wrong = DeadEnd(
        consumed=1, place="timeline", due="statistic_read number=99 member=A name=conflatedEvents delta=0"
    )
    past = history(*idle, moved(98, 1), moved(99, 0))
    # Where nothing says what is wrong, any of them may.
    assert len(draw(past).marks) == MOST_IDLE + 3
    drawn = draw(past, (wrong,))
    assert [label.text for label in drawn.labels] == [
        "conflatedEvents moved by +1",
        "✗ conflatedEvents did not move",
        "  right: nothing more",
    ]
    few = history(*idle[2:], moved(99, 0))
    assert len(draw(few, (wrong,)).marks) == MOST_IDLE
