"""The space-time picture of a history: where everything is drawn.

Time runs downwards, one row for each moment, set of listener events, or set of readings. Lanes stand side
by side: the harness's threads, then the members. A call is a bar from its row to that of its return; a
listener event is a dot on its member's lane with the number of its operation; a gate is a band from the row
where it was armed to the row where it was opened. Knows geometry only; the template `diagram.svg.j2` draws
it.
"""

from __future__ import annotations

from itertools import islice

from plumbline.reference.history import (
    Armed,
    Called,
    ContentsRead,
    Gate,
    History,
    Parked,
    Released,
    Returned,
    StatisticRead,
)
from plumbline.reference.runs import DeadEnd
from plumbline.reference.verdicts import Verdict
from plumbline.reports.shapes import Band, Bar, Diagram, Dot, Label, Lane, Mark, Rule, Wire
from plumbline.reports.signs import SIGNS
from plumbline.reports.text import columns, one_line, short
from plumbline.reports.timeline import HARNESS, Entry, arrange, entry_words, without_questions

ROW = 24
LETTER = 7.3
"""Width in pixels of one letter of the labels' fixed-width type."""
LINE = 16
GUTTER = 64
BAND = 12
HUES = 8
MOST_LETTERS = 36
HEAD_LETTERS = 24
MOST_OWN_LANES = 4
"""Up to so many threads have a lane each; more of them share lanes where their calls do not overlap."""
MOST_LANES = 32
MOST_ROWS = 1_500
DUE_MARK = SIGNS[Verdict.FAIL].symbol
MOST_ENTRIES = 12
"""So many entries of a member's contents are listed."""
MOST_BANDS = 6
"""Gates that are open at one time on one member, and of these so many stand beside each other."""


def draw(history: History, dead_ends: tuple[DeadEnd, ...] = ()) -> Diagram:
    """Lay a history out, with what was due at the furthest dead ends marked.

    Of an immense history only the end is drawn, and `left_out` says so.
    """
    return _Drawing(history, dead_ends).finished()


class _Drawing:
    """Collects shapes while it walks through the arranged history, row by row."""

    def __init__(self, history: History, dead_ends: tuple[DeadEnd, ...]) -> None:
        entries = without_questions(arrange(history, dead_ends))
        self.left_out: list[str] = []
        if len(entries) > MOST_ROWS:
            self.left_out.append(
                f"Only the last {MOST_ROWS:,} of {len(entries):,} moments and events are drawn."
            )
            entries = entries[-MOST_ROWS:]
        self.entries = entries
        self.gates = _gate_columns(entries)
        self.sharing = _sharing(entries)
        self.first_of = {thread: first for first, threads in self.sharing.items() for thread in threads}
        self.one_region = len(history.regions) == 1
        self.lanes = self._lanes(history)
        hues = dict.fromkeys(entry.op_id for entry in entries if entry.op_id is not None)
        self.hues = {op_id: index % HUES for index, op_id in enumerate(hues)}
        self.labels: list[Label] = []
        self.numbers: list[Label] = []
        self.bars: list[Bar] = []
        self.dots: list[Dot] = []
        self.wires: list[Wire] = []
        self.bands: list[Band] = []
        self.marks: list[Mark] = []
        self.rules: list[Rule] = []
        self.open_calls: dict[int, tuple[Lane, float]] = {}
        self.called_at: dict[int, tuple[Lane, float]] = {}
        self.open_gates: dict[Gate, tuple[float, float | None]] = {}
        self.y = self.bottom = 0.0
        self.row_began = 0

    def finished(self) -> Diagram:
        taken: set[str] = {HARNESS}
        together = ""
        for entry in self.entries:
            # Events between two moments share a row: their order among each other is not known. Readings
            # that follow each other share one, too: nothing was done in between.
            kind = _shares_with(entry)
            if not kind or kind != together or entry.place in taken:
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
        for gate in list(self.open_gates):
            self._band(gate, bottom)
        width = self.lanes_end
        return Diagram(
            width=width,
            height=bottom + ROW / 2,
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

    def _lanes(self, history: History) -> dict[tuple[bool, str], Lane]:
        """Threads in the order of their first calls, then members as the topology names them."""
        members = dict.fromkeys(history.topology.members)
        longest: dict[tuple[bool, str], int] = {}
        for entry in self.entries:
            if entry.place == HARNESS:
                continue
            key = self._lane_key(entry)
            if key[0]:
                members.setdefault(entry.place)
            length = max(columns(short(line, MOST_LETTERS)) for line in self._lines(entry))
            longest[key] = max(longest.get(key, 0), length)
        # Where there are too many, threads are left out rather than members: these show what went wrong.
        most_threads = max(MOST_LANES - len(members), MOST_OWN_LANES)
        shared = dict(islice(self.sharing.items(), most_threads))
        heads = {(False, first): ", ".join(threads) for first, threads in shared.items()}
        heads |= {(True, member): member for member in islice(members, MOST_LANES)}
        all_lanes = len(self.sharing) + len(members)
        if len(heads) < all_lanes:
            self.left_out.append(f"Only {len(heads)} of {all_lanes} lanes are drawn.")
        return self._side_by_side(heads, longest)

    def _lane_key(self, entry: Entry) -> tuple[bool, str]:
        """Whether the lane is a member's, and whose it is; a shared one is named by its first thread."""
        if isinstance(entry.moment, Called | Returned):
            return False, self.first_of[entry.place]
        return True, entry.place

    def _side_by_side(
        self, heads: dict[tuple[bool, str], str], longest: dict[tuple[bool, str], int]
    ) -> dict[tuple[bool, str], Lane]:
        lanes: dict[tuple[bool, str], Lane] = {}
        x = float(GUTTER)
        for (member, name), head in heads.items():
            bands = [column + 1 for gate, column in self.gates.items() if member and gate.member == name]
            axis = x + 18 + BAND * max(bands, default=0)
            told = short(head, HEAD_LETTERS)
            letters = max(longest.get((member, name), 0), columns(told) + 8, 12)
            width = axis - x + 22 + letters * LETTER
            kind = "member" if member else "threads" if len(self.sharing[name]) > 1 else "thread"
            lanes[member, name] = Lane(told, kind, x, axis, width)
            x += width
        self.lanes_end = x
        return lanes

    def _lines(self, entry: Entry) -> tuple[str, ...]:
        """The label of an entry: one line, but what a member holds is listed."""
        mark = f"{DUE_MARK} " if entry.due else ""
        if isinstance(entry.moment, Called) and len(self.sharing[self.first_of[entry.place]]) > 1:
            return (f"{mark}{entry.place}: {entry.words}",)
        if not isinstance(entry.moment, ContentsRead):
            return (f"{mark}{entry.words}",)
        head = f"{mark}holds" if self.one_region else f"{mark}{entry.moment.region} holds"
        lines = [entry_words(one) for one in entry.moment.entries[:MOST_ENTRIES]] or ["nothing"]
        if len(entry.moment.entries) > MOST_ENTRIES:
            lines.append(f"… and {len(entry.moment.entries) - MOST_ENTRIES} more")
        return (f"{head} {lines[0]}", *(f"      {line}" for line in lines[1:]))

    def _number(self, entry: Entry, *, first: bool) -> None:
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

    def _place(self, entry: Entry) -> None:
        lane = None if entry.place == HARNESS else self.lanes.get(self._lane_key(entry))
        if entry.place == HARNESS:
            mark = f"{DUE_MARK} " if entry.due else ""
            self.rules.append(Rule(self.y, short(f"{mark}{entry.words}", 80), entry.due))
        if lane is None:
            return
        for number, line in enumerate(self._lines(entry)):
            y = self.y + number * LINE
            self.bottom = max(self.bottom, y)
            event = entry.shown is not None or isinstance(entry.moment, Called)
            self.labels.append(
                Label(
                    lane.axis + 18,
                    y,
                    short(line, MOST_LETTERS),
                    one_line(line, 300),
                    event=event,
                    due=entry.due,
                )
            )
        match entry.moment:
            case None:
                self._dot(entry, lane)
            case Called(operation=operation):
                self.open_calls[operation.op_id] = (lane, self.y)
                self.called_at[operation.op_id] = (lane, self.y)
            case Returned(op_id=op_id):
                began = self.open_calls.pop(op_id, None)
                self._bar(op_id, lane, began[1] if began else 0.0, self.y, began=began is not None)
            case Armed(gate=gate):
                self.open_gates[gate] = (self.y, None)
            case Parked(gate=gate):
                armed, _ = self.open_gates.get(gate, (self.y, None))
                self.open_gates[gate] = (armed, self.y)
            case Released(gate=gate):
                self._band(gate, self.y)
            case _:
                self.marks.append(Mark(lane.axis, self.y))

    def _dot(self, entry: Entry, lane: Lane) -> None:
        if entry.op_id is None:
            self.dots.append(Dot(lane.axis, self.y, "?", None, entry.due))
            return
        hue = self.hues[entry.op_id]
        self.dots.append(Dot(lane.axis, self.y, short(str(entry.op_id), 4), hue, entry.due))
        if entry.op_id in self.called_at:
            caller, y = self.called_at[entry.op_id]
            self.wires.append(Wire(caller.axis, y + ROW / 2, lane.axis - 16, lane.axis, self.y, hue))

    def _bar(
        self, op_id: int, lane: Lane, top: float, bottom: float, *, began: bool = True, ended: bool = True
    ) -> None:
        number = short(str(op_id), 4)
        self.bars.append(Bar(lane.axis, top, bottom, number, self.hues[op_id], began, ended))

    def _band(self, gate: Gate, bottom: float) -> None:
        top, parked = self.open_gates.pop(gate, (0.0, None))
        lane = self.lanes.get((True, gate.member))
        if lane is not None:
            x = lane.x + 6 + BAND * self.gates.get(gate, 0)
            self.bands.append(Band(x, top, parked, bottom))


def _sharing(entries: tuple[Entry, ...]) -> dict[str, tuple[str, ...]]:
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


def _shares_with(entry: Entry) -> str:
    """The kind of rows that an entry may share with its like; "" for those that stand alone."""
    if entry.shown is not None:
        return "events"
    return "readings" if isinstance(entry.moment, ContentsRead | StatisticRead) else ""


def _gate_columns(entries: tuple[Entry, ...]) -> dict[Gate, int]:
    """Which column of its member's lane each gate takes, so that gates open at one time stand apart."""
    found: dict[Gate, int] = {}
    taken: dict[str, dict[int, Gate]] = {}
    for entry in entries:
        match entry.moment:
            case Armed(gate=gate) | Parked(gate=gate) if gate not in found:
                busy = taken.setdefault(gate.member, {})
                free = (number for number in range(MOST_BANDS) if number not in busy)
                column = next(free, MOST_BANDS - 1)
                busy[column] = gate
                found[gate] = column
            case Released(gate=gate):
                found.setdefault(gate, 0)
                if taken.get(gate.member, {}).get(found[gate]) == gate:
                    del taken[gate.member][found[gate]]
    return found
