"""Time that the harness holds: what it lets one conclude, and that nothing is concluded where it runs."""

from __future__ import annotations

import msgspec
import pytest

from plumbline.adapters.reference.reference_adapter import ReferenceAdapter
from plumbline.ci.selftest.generators.two_sites import run_on_reference
from plumbline.reference.explain.clocks import readings
from plumbline.reference.explain.index import Index
from plumbline.reference.explain.search_stages import search
from plumbline.reference.history.actions import Do, Finish, Inject, PlanStep, Settle, Start
from plumbline.reference.history.fault_kinds import Fault, FaultKind
from plumbline.reference.history.history import History
from plumbline.reference.history.moments import FaultBegun, FaultDone
from plumbline.reference.history.operations import Operation, OperationKind, QueueAttributes, Scope
from plumbline.reference.history.plans import Plan
from plumbline.reference.rulebook.book import Rulebook
from plumbline.reference.search.search import Answer
from plumbline.suites.harness.driver import Driver
from plumbline.suites.machines.drawing import REGION
from plumbline.suites.scenarios.sites import queues, regions, topology

HOLD, RUN = Inject(Fault(kind=FaultKind.HOLD_TIME)), Inject(Fault(kind=FaultKind.LET_RUN))
CUT, UP = (
    tuple(Inject(Fault(kind=kind, site=site, remote_site=3 - site)) for site in (1, 2))
    for kind in (FaultKind.LINK_DOWN, FaultKind.LINK_UP)
)
OF_TIME = (FaultKind.HOLD_TIME, FaultKind.TIME_LEAP, FaultKind.LET_RUN)

LOWER_SITE_WINS = Rulebook(applies_tie_of_higher_site=lambda: False, applies_tie_of_lower_site=lambda: True)
LEAVES_AT_ONCE = Rulebook(leaves_partial=lambda *_: True)
WAITS_FOR_EVER = Rulebook(leaves_at_interval=lambda _: False)


def leap(milliseconds: int) -> Inject:
    return Inject(Fault(kind=FaultKind.TIME_LEAP, milliseconds=milliseconds))


def put(op_id: int, member: str, key: str = "x") -> Operation:
    return Operation(
        op_id=op_id,
        thread=f"{member}{op_id}",
        member=member,
        region=REGION,
        kind=OperationKind.PUT,
        key=key,
        token=f"v{op_id}",
    )


def played(*steps: PlanStep, book: Rulebook, fed: tuple[QueueAttributes, ...]) -> History:
    plan = Plan(topology(2), regions(fed, Scope.ACK, None)[:1], steps, fed)
    return run_on_reference(plan, book=book)


def apart(book: Rulebook) -> History:
    """Both sites write the key while time stands and nothing passes between them."""
    both = (Do(put(1, "A")), Do(put(2, "C")))
    return played(*CUT, HOLD, *both, RUN, *UP, Settle(), book=book, fed=queues(100))


def behind_a_full_batch(book: Rulebook, milliseconds: int) -> History:
    """Two events leave while time stands; another follows, and some of a minute passes."""
    fed = queues(2, 60_000)
    pause, resume = (
        Inject(Fault(kind=kind, member="A", queue=fed[0].id)) for kind in (FaultKind.PAUSE, FaultKind.RESUME)
    )
    full = (pause, Do(put(1, "A", "u")), Do(put(2, "A", "v")), resume)
    another = (Settle(), Do(put(3, "A")), Settle(), leap(milliseconds), Settle())
    return played(HOLD, *full, *another, book=book, fed=fed)


def untimed(history: History) -> History:
    """The history as it is where time is not held, with the same observations."""
    kept = [
        moment
        for moment in history.timeline
        if not isinstance(moment, FaultBegun | FaultDone) or moment.fault.kind not in OF_TIME
    ]
    logs = {
        member: tuple(msgspec.structs.replace(one, after=0, before=len(kept)) for one in log)
        for member, log in history.logs.items()
    }
    return msgspec.structs.replace(history, timeline=tuple(kept), logs=logs)


@pytest.mark.parametrize("book", [Rulebook(), LOWER_SITE_WINS], ids=["higher", "lower"])
def test_equal_times_decide_only_where_the_clocks_were_held(book: Rulebook):
    history = apart(book)
    assert search(untimed(history), Rulebook()).answer is Answer.EXPLAINED
    held = search(history, Rulebook()).answer
    assert held is (Answer.REFUTED if book is LOWER_SITE_WINS else Answer.EXPLAINED)
    assert search(history, book).answer is Answer.EXPLAINED


def test_a_local_update_may_be_later_than_its_clock_shows():
    # Both are put while the clocks show the same, but the second replaces the first and has to be later.
    steps = (HOLD, Do(put(1, "C")), Do(put(2, "A")), RUN, Settle())
    history = played(*steps, book=Rulebook(), fed=queues(1))
    assert readings(Index(history)) == {1: (1, 0), 2: (1, 0)}
    assert search(history, Rulebook()).answer is Answer.EXPLAINED


def test_when_a_batch_leaves_is_judged_only_where_time_was_held():
    early, late = behind_a_full_batch(LEAVES_AT_ONCE, 30_000), behind_a_full_batch(WAITS_FOR_EVER, 60_000)
    for history in (early, late):
        assert search(history, Rulebook()).answer is Answer.REFUTED
    assert search(untimed(early), Rulebook()).answer is Answer.EXPLAINED


def test_where_batches_do_not_wait_only_timestamps_are_judged():
    early, tie = (
        msgspec.structs.replace(history, batches_wait=False)
        for history in (behind_a_full_batch(LEAVES_AT_ONCE, 30_000), apart(LOWER_SITE_WINS))
    )
    assert search(early, Rulebook()).answer is Answer.EXPLAINED
    assert search(tie, Rulebook()).answer is Answer.REFUTED


@pytest.mark.parametrize(("milliseconds", "there"), [(59_999, False), (60_000, True)])
def test_the_reference_sends_what_is_not_a_full_batch_when_the_interval_is_over(
    milliseconds: int, there: bool
):
    history = behind_a_full_batch(Rulebook(), milliseconds)
    assert ("v3" in {shown.event.token for shown in history.logs["C"]}) is there
    assert search(history, Rulebook()).answer is Answer.EXPLAINED


def test_the_clock_is_known_only_for_calls_that_end_before_it_moves():
    calls = (Do(put(1, "A")), HOLD, Do(put(2, "A")), leap(5), Do(put(3, "C")), Start(put(4, "C")))
    after = (leap(5), Finish(4), RUN, Do(put(5, "A")))
    history = played(*calls, *after, book=Rulebook(), fed=queues(100))
    assert readings(Index(history)) == {2: (1, 0), 3: (1, 5)}


def test_time_stands_once_the_clocks_of_all_sites_are_held():
    adapter, fed = ReferenceAdapter(), queues(2, 60_000)
    adapter.deploy(topology(2))
    driver = Driver(adapter, adapter.hello(), topology(2), None, regions(fed, Scope.ACK, None), fed)
    adapter.clock(1, offset_ms=0, frozen=True)
    driver.call(put(1, "A"))
    driver.settle()
    assert driver.contents("C", REGION) == {"x": "v1"}
    adapter.clock(2, offset_ms=0, frozen=True)
    driver.call(put(2, "A"))
    driver.settle()
    assert driver.contents("C", REGION) == {"x": "v1"}
    adapter.clock(1, offset_ms=0, frozen=False)
    driver.settle()
    assert driver.contents("C", REGION) == {"x": "v2"}
