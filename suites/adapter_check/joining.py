"""What is asked of an adapter about copies under way.

Knows the plainest use of them: what is written while a copy is held comes to its member all the same. So it
does where the member was killed and starts again.
"""

from __future__ import annotations

from plumbline.adapters.protocol import AwaitCopy, BeginCopy, Crash, HostingRequest
from plumbline.reference.catalogue.capabilities import Capability
from plumbline.reference.history.operations import Content, Operation
from plumbline.suites.adapter_check.examiner import ENOUGH_MS, ONE_SITE, REGION, Examiner, Standing

WHERE = HostingRequest(member="B", region=REGION.name)


class JoinExaminer(Examiner):
    """Asks for a copy that is held on its way, where the adapter declares them."""

    def copies(self) -> None:
        """A key changes while a copy is held, and another was there before."""
        joins = self._answers.get("join")
        if not self._declares(Capability.HELD_JOINS) or joins is None or joins.standing is not Standing.WORKS:
            return  # who takes no copy at rest would be blamed twice
        self._stage(ONE_SITE)
        old = self._put("A", "old")
        self._settle()
        self._ask("leave", WHERE)
        self._meanwhile(old)

    def restarts_meanwhile(self) -> None:
        """A key changes while a member that was killed starts again, and another was there before."""
        restarts = self._answers.get("restart")
        if not self._declares(Capability.CONCURRENT_RESTARTS) or restarts is None:
            return
        if restarts.standing is not Standing.WORKS:
            return  # what cannot start again at rest would be blamed twice
        self._stage(ONE_SITE)
        old = self._put("A", "old")
        self._settle()
        self._ask("crash", Crash(member="B"))
        self._settle()
        self._meanwhile(old)

    def _meanwhile(self, old: Operation) -> None:
        """B takes a copy, which is held while another key is put."""
        waits = AwaitCopy(member="B", region=REGION.name, timeout_ms=ENOUGH_MS)
        self._ask("begin_join", BeginCopy(member="B", region=REGION.name, held=True))
        if not self._ask("await_copy", waits).held:
            self._complain("await_copy", "the copy is not on its way in a minute")
        new = self._put("A", "new")
        self._ask("release_copy", WHERE)
        if not self._ask("finish_join", waits).joined:
            self._complain("finish_join", "the member has no copy in a minute")
        self._settle()
        held = (Content("new", new.token), Content("old", old.token))
        self._holds("B", held, "finish_join")
