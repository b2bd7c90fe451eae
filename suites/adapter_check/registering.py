"""What is asked of an adapter about registrations under way.

Knows the plainest use of them: what changes while the answer is held comes to the client all the same.
"""

from __future__ import annotations

from plumbline.adapters.protocol import AwaitInterest, BeginInterest, ClientStart, InterestNumber
from plumbline.reference.catalogue.capabilities import Capability
from plumbline.reference.history.operations import Content, Interest, Status
from plumbline.suites.adapter_check.examiner import CLIENT, ENOUGH_MS, ONE_SITE, REGION, Examiner, Standing

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
