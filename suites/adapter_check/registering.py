"""What is asked of an adapter about registrations under way.

Knows the plainest use of them: what changes while the answer is held comes to the client all the same.
"""

from __future__ import annotations

from plumbline.adapters.protocol import (
    AwaitInterest,
    AwaitParked,
    Begin,
    BeginInterest,
    ClientStart,
    GateParams,
    InterestNumber,
)
from plumbline.reference.catalogue.capabilities import Capability
from plumbline.reference.history.moments import ANSWER, Gate
from plumbline.reference.history.operations import Content, Interest, OperationKind, Status
from plumbline.suites.adapter_check.examiner import (
    CLIENT,
    ENOUGH_MS,
    ONE_SITE,
    REGION,
    Examiner,
    Standing,
    said_if,
)

NUMBER = 90


class RegistrationExaminer(Examiner):
    """Asks for a registration whose answer is held, where the adapter declares them."""

    def registrations(self) -> None:
        """A key changes while the answer of a registration is held, and another was there before."""
        interests = self._answers.get("interest")
        if not self._declares(Capability.HELD_REGISTRATIONS) or (
            interests is not None and interests.standing is not Standing.WORKS
        ):
            return  # who registers at rest alone would be blamed twice
        self._stage(ONE_SITE)
        self._ask("start_client", ClientStart(client=CLIENT))
        old = self._put("B", "old")
        interest = Interest(client=CLIENT.name, region=REGION.name)
        waits = AwaitInterest(number=NUMBER, timeout_ms=ENOUGH_MS)
        self._ask("begin_interest", BeginInterest(number=NUMBER, interest=interest, held=True))
        if not self._ask("await_answer", waits).held:
            self._complain("await_answer", "the answer of a registration is not on its way in a minute")
        self._holds(CLIENT.name, (), "begin_interest")
        new = self._put("B", "new")
        self._ask("release_answer", InterestNumber(number=NUMBER))
        status = self._ask("finish_interest", waits).status
        if status is not Status.OK:
            self._complain("finish_interest", f"a registration for all keys has ended {status}")
        self._settle()
        held = (Content("new", new.token), Content("old", old.token))
        self._holds(CLIENT.name, held, "release_answer")

    def held_gets(self) -> None:
        """A client gets a key, and has nothing of it until the answer is let go."""
        needed = (Capability.HELD_GETS, Capability.LISTENER_GATES, Capability.CLIENTS)
        interests = self._answers.get("interest")
        broken = interests is not None and interests.standing is Standing.BROKEN
        if broken or not all(map(self._declares, needed)):
            return  # whose clients hold nothing would be blamed twice
        self._stage(ONE_SITE)
        self._ask("start_client", ClientStart(client=CLIENT))
        old = self._put("B", "old")
        get = self._operation(CLIENT.name, OperationKind.GET, "old", None)
        gate = Gate(CLIENT.name, get.op_id, ANSWER)
        self._ask("arm", GateParams(gate=gate))
        self._ask("begin", Begin(operation=get))
        parked = AwaitParked(gate=gate, timeout_ms=ENOUGH_MS)
        complaint = "says that the answer to a get is not on its way"
        self._ask("await_parked", parked, lambda told: said_if(not told.parked, complaint))
        self._holds(CLIENT.name, (), "await_parked")
        self._ask("release", GateParams(gate=gate))
        self._finish(get, Status.OK, old.token)
        self._settle()
        self._holds(CLIENT.name, (Content("old", old.token),), "release")
