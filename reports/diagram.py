"""The space-time picture of a history: where everything is drawn.

Time runs downwards, one row for each moment, set of listener events, or set of readings. Lanes stand side
by side: the harness's threads, then the members, site by site, and between them links that were cut.
A call is a bar from its row to that of its return; a listener event is a dot on its member's lane with the
number of its operation; a gate is a band from the row where it was armed to the row where it was opened, a
fault one from the row where it began to the row where it was mended. Knows geometry only; the template
`diagram.svg.j2` draws it.
"""

from __future__ import annotations

from itertools import islice

import msgspec

from plumbline.reference.history.fault_kinds import STARTS_AGAIN, FaultKind
from plumbline.reference.history.history import History
from plumbline.reference.history.moment_words import HARNESS
from plumbline.reference.history.moments import (
    Called,
    ContentsRead,
    FaultBegun,
    FaultDone,
    Parked,
    QueueRead,
    Registered,
    Returned,
    StatisticRead,
)
from plumbline.reference.history.words import entry_words, interest_parts
from plumbline.reference.results.runs import DeadEnd, Difference
from plumbline.reference.results.verdicts import Verdict
from plumbline.reports.shapes import (
    Band,
    Bar,
    CrossingLine,
    Diagram,
    DiagramLane,
    Dot,
    Group,
    Label,
    Mark,
    SettleLine,
)
from plumbline.reports.signs import SIGNS
from plumbline.reports.spans import GATE, LINKS, Span, begun, ended
from plumbline.reports.spans import columns as columns_of
from plumbline.reports.text import columns, one_line, short
from plumbline.reports.timeline import TimelineRow, arrange, with_fates, without_questions, without_the_idle

ROW = 24
LETTER = 7.3
"""Width in pixels of one letter of the labels' fixed-width type."""
LINE = 16
GUTTER = 64
BAND = 12
CLOSE = 25
"""Pixels from one thread's bars to the next one's where threads stand close together."""
HUES = 8
MOST_LETTERS = 36
HEAD_LETTERS = 24
MOST_OWN_LANES = 2
"""Up to so many threads have a lane each; more of them share lanes where their calls do not overlap."""
MOST_LANES = 32
MOST_ROWS = 1_500
DUE_MARK = SIGNS[Verdict.FAIL].symbol
MOST_ENTRIES = 12
"""So many entries of a member's contents are listed."""
MOST_BANDS = 6
"""Of gates and faults that last at one time on one member so many stand beside each other."""
RIGHT = "right: "
MOST_ALLOWED = 2
"""So much of what would have been right is written below what was seen instead."""

_LINK_WORDS = {
    FaultKind.LINK_DOWN: "cut",
    FaultKind.REPLIES_LOST: "answers lost",
    FaultKind.LINK_UP: "mended",
    FaultKind.ANSWERS_LOST: "answers to client lost",
    FaultKind.ANSWERS_BACK: "answers to client again",
}

MEMBER, THREAD = "member", "thread"
LaneKey = tuple[str, str]
"""MEMBER, THREAD or LINKS, and whose lane it is."""


def draw(
    history: History, dead_ends: tuple[DeadEnd, ...] = (), nearest: tuple[Difference, ...] = ()
) -> Diagram:
    """Lay a history out, with what is wrong marked, as `arrange` does.

    Of an immense history only the end is drawn, and `left_out` says so.
    """
    return _Drawing(history, arrange(history, dead_ends, nearest)).finished()


class _Drawing:
    """Collects shapes while it walks through the arranged history, row by row."""

    def __init__(self, history: History, arranged: tuple[TimelineRow, ...]) -> None:
        entries = with_fates(without_the_idle(without_questions(arranged)), history)
        self.left_out: list[str] = []
        if len(entries) > MOST_ROWS:
            self.left_out.append(
                f"Only the last {MOST_ROWS:,} of {len(entries):,} moments and events are drawn."
            )
            entries = entries[-MOST_ROWS:]
        self.entries = entries
        self.spans = columns_of((entry.moment for entry in entries), MOST_BANDS)
        self.site_of = {member: site.number for site in history.topology.sites for member in site.members}
        self.sharing = _sharing(entries)
        self.first_of = {thread: first for first, threads in self.sharing.items() for thread in threads}
        self.close = len(self.sharing) > MOST_OWN_LANES
        self.label_x: dict[LaneKey, float] = {}
        self.clients = {client.name for client in history.clients}
        self.one_region = len(history.regions) == 1
        self.first_told: dict[tuple[str, str, str, str], TimelineRow] = {}
        self.lanes = self._lanes(history)
        self.groups = self._groups(history)
        hues = dict.fromkeys(entry.op_id for entry in entries if entry.op_id is not None)
        self.hues = {op_id: index % HUES for index, op_id in enumerate(hues)}
        self.labels: list[Label] = []
        self.numbers: list[Label] = []
        self.bars: list[Bar] = []
        self.dots: list[Dot] = []
        self.wires: list[CrossingLine] = []
        self.bands: list[Band] = []
        self.marks: list[Mark] = []
        self.rules: list[SettleLine] = []
        self.open_calls: dict[int, tuple[DiagramLane, float]] = {}
        self.called_at: dict[int, tuple[DiagramLane, float]] = {}
        self.lasting: dict[Span, tuple[float, float | None]] = {}
        self.told_at: dict[tuple[int, str], float] = {}
        self.callers: dict[int, str] = {}
        self.y = self.bottom = 0.0
        self.row_began = 0

    def finished(self) -> Diagram:
        taken: set[str] = {HARNESS}
        together = ""
        for entry in self.entries:
            # Events between two moments share a row: their order among each other is not known. Readings
            # that follow each other share one, too: nothing was done in between.
            kind = _shares_with(entry)
            if not kind or kind != together or entry.place in taken or self._comes_from(entry, taken):
                self.y = self.bottom + ROW
                taken = set()
                self._number(entry, first=True)
            else:
                self._number(entry, first=False)
            together = kind
            taken.add(entry.place)
            self._place(entry)
        bottom = self.bottom + ROW
        for op_id, (lane, top) in self.open_calls.items():
            self._bar(op_id, lane, top, bottom, ended=False)
        for span in list(self.lasting):
            self._band(span, bottom)
        width = self.lanes_end
        return Diagram(
            width=width,
            height=bottom + ROW / 2,
            groups=self.groups,
            lanes=tuple(self.lanes.values()),
            numbers=tuple(self.numbers),
            labels=tuple(self.labels),
            bars=tuple(self.bars),
            dots=tuple(self.dots),
            wires=tuple(self.wires),
            bands=tuple(self.bands),
            marks=tuple(self.marks),
            rules=tuple(self.rules),
            left_out=tuple(self.left_out),
        )

    def _lanes(self, history: History) -> dict[LaneKey, DiagramLane]:
        """Threads in the order of their first calls, then members as the topology names them."""
        members = dict.fromkeys(history.topology.members)
        longest: dict[LaneKey, int] = {}
        for entry in self.entries:
            key = self._lane_key(entry)
            if key is None:
                continue
            if key[0] == MEMBER:
                members.setdefault(entry.place)
            length = max(columns(short(line, MOST_LETTERS)) for line in self._lines(entry))
            longest[key] = max(longest.get(key, 0), length)
        # Where there are too many, threads are left out rather than members: these show what went wrong.
        most_threads = max(MOST_LANES - len(members), MOST_OWN_LANES)
        shared = dict(islice(self.sharing.items(), most_threads))
        heads = {(THREAD, first): ", ".join(threads) for first, threads in shared.items()}
        first_site = next(iter(history.topology.sites), None)
        for member in islice(members, MOST_LANES):
            heads[MEMBER, member] = member
            if first_site and member == first_site.members[-1] and (LINKS, LINKS) in longest:
                heads[LINKS, LINKS] = "between sites"
        all_lanes = len(self.sharing) + len(members) + ((LINKS, LINKS) in heads)
        if len(heads) < all_lanes:
            self.left_out.append(f"Only {len(heads)} of {all_lanes} lanes are drawn.")
        return self._side_by_side(heads, longest)

    def _groups(self, history: History) -> tuple[Group, ...]:
        """The sites, where there are several, each above its members."""
        groups = []
        for site in history.topology.sites if len(history.topology.sites) > 1 else ():
            lanes = [self.lanes[MEMBER, member] for member in site.members if (MEMBER, member) in self.lanes]
            if lanes:
                end = lanes[-1].x + lanes[-1].width
                groups.append(Group(f"site {site.number}", lanes[0].x, end - lanes[0].x))
        return tuple(groups)

    def _lane_key(self, entry: TimelineRow) -> LaneKey | None:
        """Which lane; one shared by threads is named by the first. None for what goes across all lanes."""
        if isinstance(entry.moment, FaultBegun | FaultDone) and not entry.moment.fault.member:
            return LINKS, LINKS
        if entry.place == HARNESS:
            return None
        if isinstance(entry.moment, Called | Returned):
            return THREAD, self.first_of[entry.place]
        return MEMBER, entry.place

    def _side_by_side(
        self, heads: dict[LaneKey, str], longest: dict[LaneKey, int]
    ) -> dict[LaneKey, DiagramLane]:
        """Threads first; many stand close together, with one column for all that is said of them."""
        lanes: dict[LaneKey, DiagramLane] = {}
        x = float(GUTTER)
        calls = [key for key in heads if key[0] == THREAD] if self.close else []
        if calls:
            width = CLOSE * len(calls) + 20 + LETTER * max(longest.get(key, 0) for key in calls)
            told = short(", ".join(name for _, name in calls), int((width - 70) / LETTER))
            for number, key in enumerate(calls):
                axis = x + 18 + CLOSE * number
                # The first of them has the name and the breadth of all.
                whole = DiagramLane(told, "threads", x, axis, width)
                lanes[key] = (
                    msgspec.structs.replace(whole, name="", kind="call", width=0.0) if number else whole
                )
                self.label_x[key] = x + 18 + CLOSE * len(calls)
            x += width
        for (sort, name), head in heads.items():
            if (sort, name) in lanes:
                continue
            bands = [
                column + 1 for span, column in self.spans.items() if sort != THREAD and span.place == name
            ]
            axis = x + 18 + BAND * max(bands, default=0)
            told = short(head, HEAD_LETTERS)
            letters = max(longest.get((sort, name), 0), columns(told) + 8, 12)
            width = axis - x + 22 + letters * LETTER
            kind = "threads" if sort == THREAD and len(self.sharing[name]) > 1 else sort
            kind = "client" if sort == MEMBER and name in self.clients else kind
            lanes[sort, name] = DiagramLane(told, kind, x, axis, width)
            x += width
        self.lanes_end = x
        return lanes

    def _lines(self, entry: TimelineRow) -> tuple[str, ...]:
        """The label of an entry: one line, but what a member holds is listed, and what would be right."""
        mark = f"{DUE_MARK} " if entry.due else ""
        lines: tuple[str, ...]
        match entry.moment:
            case Called() if self.close or len(self.sharing[self.first_of[entry.place]]) > 1:
                lines = (f"{mark}{entry.place}: {entry.words}",)
            case Returned() if self.close:
                lines = (f"{mark}{entry.numbered}",)
            case FaultBegun(fault=fault) | FaultDone(fault=fault) if (
                fault.kind in _LINK_WORDS and not fault.member
            ):
                asked = ": asked for" if isinstance(entry.moment, FaultBegun) else ""
                words = _LINK_WORDS[fault.kind]
                lines = (f"{mark}{fault.site} → {fault.remote_site} {words}{asked}",)
            case ContentsRead():
                head = f"{mark}holds" if self.one_region else f"{mark}{entry.moment.region} holds"
                held = [entry_words(one) for one in entry.moment.entries[:MOST_ENTRIES]] or ["nothing"]
                if len(entry.moment.entries) > MOST_ENTRIES:
                    held.append(f"… and {len(entry.moment.entries) - MOST_ENTRIES} more")
                lines = (f"{head} {held[0]}", *(f"      {line}" for line in held[1:]))
            case Registered(interest=interest, refused=refused):
                what, how = interest_parts(interest)
                what += "" if self.one_region else f" of {interest.region}"
                what += ": refused" if refused else ""
                lines = (f"{mark}{what}", *((f"  {how}",) if how else ()))
            case _:
                again = self._again(entry)
                lines = (f"{mark}{'again: ' if again else ''}{entry.words}",)
        return (*lines, *(f"  {RIGHT}{offer}" for offer in entry.allowed[:MOST_ALLOWED]))

    def _again(self, entry: TimelineRow) -> bool:
        """Whether the member received the same before."""
        event = entry.shown.event if entry.shown is not None else None
        if event is None or event.token is None or event.conflict is not None:
            return False
        first = self.first_told.setdefault((entry.place, event.region, event.key, event.token), entry)
        return first is not entry

    def _comes_from(self, entry: TimelineRow, taken: set[str]) -> bool:
        """Whether it came from a site whose members receive things in the same row."""
        site = self.site_of.get(entry.place)
        return entry.shown is not None and any(self.site_of.get(place) != site for place in taken if place)

    def _number(self, entry: TimelineRow, *, first: bool) -> None:
        """Write the number of a moment beside its row; a row of several readings tells first and last."""
        self.bottom = max(self.bottom, self.y)
        if entry.moment is None:
            return
        if first:
            self.row_began = entry.number
            told = str(entry.number)
        else:
            self.numbers.pop()
            told = f"{self.row_began}–{entry.number}"  # noqa: RUF001 - a range is written with this dash
        self.numbers.append(Label(GUTTER - 10, self.y, told, told))

    def _place(self, entry: TimelineRow) -> None:
        key = self._lane_key(entry)
        if key is None:
            mark = f"{DUE_MARK} " if entry.due else ""
            x = next(iter(self.label_x.values()), GUTTER + 36.0)
            self.rules.append(SettleLine(x, self.y, short(f"{mark}{entry.words}", 80), entry.due))
        lane = None if key is None else self.lanes.get(key)
        if key is None or lane is None:
            return
        for number, line in enumerate(self._lines(entry)):
            y = self.y + number * LINE
            self.bottom = max(self.bottom, y)
            event = entry.shown is not None or isinstance(entry.moment, Called)
            right = number > 0 and line.startswith(f"  {RIGHT}")
            self.labels.append(
                Label(
                    self.label_x.get(key, lane.axis + 18),
                    y,
                    short(line, MOST_LETTERS),
                    one_line(line, 300),
                    event=event and not right,
                    due=entry.due and not right,
                )
            )
        match entry.moment:
            case None:
                self._dot(entry, lane)
            case Called(operation=operation):
                self.open_calls[operation.op_id] = (lane, self.y)
                self.called_at[operation.op_id] = (lane, self.y)
                self.callers[operation.op_id] = operation.member
            case Returned(op_id=op_id):
                call = self.open_calls.pop(op_id, None)
                self._bar(op_id, lane, call[1] if call else 0.0, self.y, began=call is not None)
            case FaultBegun(fault=fault) | FaultDone(fault=fault) if fault.kind is FaultKind.CRASH:
                if lane.until is None:
                    self.lanes[key] = msgspec.structs.replace(lane, until=self.y)
            case FaultDone(fault=fault) if fault.kind in STARTS_AGAIN:
                self.lanes[key] = msgspec.structs.replace(lane, until=None)
                self.marks.append(Mark(lane.axis, self.y))
            case _ if begun(entry.moment) is None and not ended(entry.moment):
                self.marks.append(Mark(lane.axis, self.y))
        self._last(entry)

    def _last(self, entry: TimelineRow) -> None:
        """Begin and end what lasts."""
        span = begun(entry.moment)
        if span is not None:
            since, parked = self.lasting.get(span, (self.y, None))
            self.lasting[span] = (since, self.y if isinstance(entry.moment, Parked) else parked)
        for over in ended(entry.moment):
            if over in self.lasting or over.kind == GATE:
                self._band(over, self.y)

    def _dot(self, entry: TimelineRow, lane: DiagramLane) -> None:
        fate = "again" if self._again(entry) else str(entry.fate or "")
        if entry.op_id is None:
            self.dots.append(Dot(lane.axis, self.y, "?", None, entry.due, fate))
            return
        hue = self.hues[entry.op_id]
        self.dots.append(Dot(lane.axis, self.y, short(str(entry.op_id), 4), hue, entry.due, fate))
        if entry.fate is None and entry.op_id in self.called_at:
            self._wire(entry.op_id, entry.place, lane, hue)

    def _wire(self, op_id: int, member: str, lane: DiagramLane, hue: int) -> None:
        """From the call; to another site from where the caller's own listener received it, if it did."""
        start, y = self.called_at[op_id]
        caller = self.callers.get(op_id, "")
        crosses = caller in self.site_of and self.site_of.get(member, 0) != self.site_of[caller]
        self.told_at.setdefault((op_id, member), self.y)
        if crosses and (op_id, caller) in self.told_at and (MEMBER, caller) in self.lanes:
            start, y = self.lanes[MEMBER, caller], self.told_at[op_id, caller]
        turn = lane.axis - 16 if lane.axis > start.axis else lane.axis + 16
        self.wires.append(CrossingLine(start.axis, y + ROW / 2, turn, lane.axis, self.y, hue, crosses))

    def _bar(
        self,
        op_id: int,
        lane: DiagramLane,
        top: float,
        bottom: float,
        *,
        began: bool = True,
        ended: bool = True,
    ) -> None:
        number = short(str(op_id), 4)
        self.bars.append(Bar(lane.axis, top, bottom, number, self.hues[op_id], began, ended))

    def _band(self, span: Span, bottom: float) -> None:
        top, parked = self.lasting.pop(span, (0.0, None))
        lane = self.lanes.get((LINKS if span.place == LINKS else MEMBER, span.place))
        if lane is not None:
            x = lane.x + 6 + BAND * self.spans.get(span, 0)
            self.bands.append(Band(x, top, parked, bottom, span.kind))


def _sharing(entries: tuple[TimelineRow, ...]) -> dict[str, tuple[str, ...]]:
    """The threads of each lane, under the first of them."""
    first: dict[str, int] = {}
    last: dict[str, int] = {}
    members: dict[str, str] = {}
    for index, entry in enumerate(entries):
        if isinstance(entry.moment, Called | Returned) and entry.place != HARNESS:
            first.setdefault(entry.place, index)
            # Until its return is seen a call reaches to the end.
            last[entry.place] = index if isinstance(entry.moment, Returned) else len(entries)
            if isinstance(entry.moment, Called):
                members[entry.place] = entry.moment.operation.member
    if len(first) <= MOST_OWN_LANES:
        return {thread: (thread,) for thread in first}
    lanes: dict[str, list[str]] = {}
    for thread, begins in first.items():
        free = [lane for lane in lanes.values() if last[lane[-1]] < begins]
        # Rather behind a thread that called on the same member: one then sees what a member was asked.
        free.sort(key=lambda lane: members.get(lane[-1]) != members.get(thread))
        (free[0] if free else lanes.setdefault(thread, [])).append(thread)
    return {name: tuple(threads) for name, threads in lanes.items()}


def _shares_with(entry: TimelineRow) -> str:
    """The kind of rows that an entry may share with its like; "" for those that stand alone."""
    if entry.shown is not None:
        return "events"
    if entry.fate is not None:
        return "fates"
    return "readings" if isinstance(entry.moment, ContentsRead | StatisticRead | QueueRead) else ""
