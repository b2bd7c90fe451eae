"""The space-time picture of a history: where everything is drawn.

Time runs downwards, one row for each moment, set of listener events, or set of readings. Lanes stand side
by side: the harness's threads, then the members. A call is a bar from its row to that of its return; a
listener event is a dot on its member's lane with the number of its operation; a gate is a band from the row
where it was armed to the row where it was opened. Knows geometry only; the template `diagram.svg.j2` draws
it.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import islice

import msgspec

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
MOST_LETTERS = 34
MOST_LANES = 24
MOST_ROWS = 1_500
DUE_MARK = SIGNS[Verdict.FAIL].symbol
MOST_ENTRIES = 12
"""So many entries of a member's contents are listed."""
MOST_BANDS = 6
"""Gates that are open at one time on one member, and of these so many stand beside each other."""


class Lane(msgspec.Struct, frozen=True):
    """One thread or member: `x` is its left edge, `axis` where its bars or dots stand."""

    name: str
    member: bool
    x: float
    axis: float
    width: float


class Label(msgspec.Struct, frozen=True):
    """A text that starts at (x, y); `full` is what it was before it was cut to `text`.

    `event` labels calls and listener events, `due` what the furthest attempts to explain could not take.
    """

    x: float
    y: float
    text: str
    full: str
    event: bool = False
    due: bool = False


class Bar(msgspec.Struct, frozen=True):
    """A call: from `top` to `bottom`; `began` or `ended` is False where an end is not in the picture."""

    x: float
    top: float
    bottom: float
    number: str
    hue: int
    began: bool
    ended: bool


class Dot(msgspec.Struct, frozen=True):
    """A listener event; `number` is "?" for one whose operation nobody called or that carries no token."""

    x: float
    y: float
    number: str
    hue: int | None
    due: bool


class Wire(msgspec.Struct, frozen=True):
    """The line from a call to an event of its operation.

    It leaves the bar below the row's labels, runs level as far as `turn`, and from there to the dot, so
    that it crosses no text.
    """

    x: float
    y: float
    turn: float
    dot_x: float
    dot_y: float
    hue: int


class Band(msgspec.Struct, frozen=True):
    """A gate; `parked` is the row from which something stood at it, or None."""

    x: float
    top: float
    parked: float | None
    bottom: float


class Mark(msgspec.Struct, frozen=True):
    """A reading of contents or of a statistic."""

    x: float
    y: float


class Rule(msgspec.Struct, frozen=True):
    """A settle point, or another moment of the harness alone, across all lanes."""

    y: float
    text: str
    due: bool


class Diagram(msgspec.Struct, frozen=True, kw_only=True):
    """Everything there is to draw, in pixels, and in sentences what was left out."""

    width: float
    height: float
    lanes: tuple[Lane, ...]
    numbers: tuple[Label, ...]
    labels: tuple[Label, ...]
    bars: tuple[Bar, ...]
    dots: tuple[Dot, ...]
    wires: tuple[Wire, ...]
    bands: tuple[Band, ...]
    marks: tuple[Mark, ...]
    rules: tuple[Rule, ...]
    left_out: tuple[str, ...]


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
        threads: dict[str, None] = {}
        members = dict.fromkeys(history.topology.members)
        longest: dict[str, int] = {}
        for entry in self.entries:
            if entry.place == HARNESS:
                continue
            if isinstance(entry.moment, Called | Returned):
                threads.setdefault(entry.place)
            else:
                members.setdefault(entry.place)
            length = max(columns(short(line, MOST_LETTERS)) for line in self._lines(entry))
            longest[entry.place] = max(longest.get(entry.place, 0), length)
        return self._side_by_side(threads, members, longest)

    def _side_by_side(
        self, threads: Iterable[str], members: Iterable[str], longest: dict[str, int]
    ) -> dict[tuple[bool, str], Lane]:
        names = [(name, False) for name in threads] + [(name, True) for name in members]
        if len(names) > MOST_LANES:
            self.left_out.append(f"Only {MOST_LANES} of {len(names)} threads and members are drawn.")
        lanes: dict[tuple[bool, str], Lane] = {}
        x = float(GUTTER)
        for name, member in islice(names, MOST_LANES):
            bands = [column + 1 for gate, column in self.gates.items() if member and gate.member == name]
            axis = x + 18 + BAND * max(bands, default=0)
            letters = max(longest.get(name, 0), columns(short(name, MOST_LETTERS)) + 7, 12)
            width = axis - x + 22 + letters * LETTER
            lanes[member, name] = Lane(short(name, MOST_LETTERS), member, x, axis, width)
            x += width
        self.lanes_end = x
        return lanes

    def _lines(self, entry: Entry) -> tuple[str, ...]:
        """The label of an entry: one line, but what a member holds is listed."""
        mark = f"{DUE_MARK} " if entry.due else ""
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
        of_member = not isinstance(entry.moment, Called | Returned)
        lane = self.lanes.get((of_member, entry.place))
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
