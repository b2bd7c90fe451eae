"""What is asked of an adapter about what members log.

Knows the plainest use of it: the other site refuses a put, and an alert at home names its key.
"""

from __future__ import annotations

from plumbline.adapters.protocol import LogLines, LogRequest, ScriptRequest
from plumbline.reference.catalogue.capabilities import Capability
from plumbline.reference.history.log_lines import REFUSALS, alerts, naming
from plumbline.reference.history.operations import Content
from plumbline.suites.adapter_check.examiner import ONE_SITE, QUEUE, REGION, TWO_SITES, Examiner

KEY = "refused-key"


class LogExaminer(Examiner):
    """Asks for logs, where the adapter declares them."""

    def logs(self) -> None:
        """Logs are shown; between sites one of them has what became of a put that was refused there."""
        if not self._declares(Capability.LOG_LINES):
            return
        if not (self._declares(Capability.GATEWAYS) and self._declares(Capability.CALLBACK_SCRIPTS)):
            self._stage(ONE_SITE)
            self._ask("server_log", LogRequest(member="A"))
            return
        self._stage(TWO_SITES, QUEUE)
        for keys in ((KEY,), ()):
            for member in ("C", "D"):
                script = ScriptRequest(member=member, region=REGION.name, callback="writer", answers=keys)
                self._ask("script", script)
            if keys:
                put = self._put("A", "k")
                self._settle()
                self._holds("C", (Content("k", put.token),), "create_queue")
                self._put("A", KEY)
                self._settle()
                self._holds("C", (Content("k", put.token),), "script")
                self._alerted()
        self._stage(TWO_SITES, QUEUE)
        for member in ("A", "B"):
            self._ask("server_log", LogRequest(member=member), _complaint_of_old)

    def _alerted(self) -> None:
        """The log of a member of site 1 names the key, and has the words of the exception at site 2."""
        told: list[LogLines] = [self._ask("server_log", LogRequest(member=one)) for one in ("A", "B")]
        lines = [line for log in told for line in log.lines]
        for name in (naming(KEY), REFUSALS):
            if not alerts(name, lines):
                complaint = f"no log of A or B has any of the {name}, though its event failed at site 2"
                self._complain("server_log", complaint)


def _complaint_of_old(told: LogLines) -> str:
    return "shows alerts of before the reset" if alerts(naming(KEY), told.lines) else ""
