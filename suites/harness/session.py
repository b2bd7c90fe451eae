"""A session: one candidate under test, its adapter opened when needed and again after it has failed.

Knows how to begin examples; knows nothing of what they ask.
"""

from __future__ import annotations

from collections.abc import Callable
from types import TracebackType
from typing import Self, TypeVar

from plumbline.adapters.adapter import Adapter
from plumbline.adapters.answers import flaw_of_change
from plumbline.adapters.candidates import Candidate
from plumbline.adapters.checked import CheckedAdapter
from plumbline.adapters.errors import AdapterError, MissingToolError, UnansweredError, UnsupportedError
from plumbline.adapters.protocol import Introduction
from plumbline.reference.catalogue.capabilities import Capability
from plumbline.reference.catalogue.loader import all_requirements, did_you_mean
from plumbline.reference.catalogue.records import Dialect
from plumbline.reference.history.operations import (
    Client,
    QueueAttributes,
    RegionAttributes,
    TombstoneSettings,
    Topology,
)
from plumbline.reference.rulebook.book import Rulebook, rulebook_of
from plumbline.suites.harness.driver import Driver
from plumbline.suites.harness.restless import NEVER, Unanswered

Played = TypeVar("Played")

MOST_FAILURES_IN_A_ROW = 3
"""An adapter that fails so often, with nothing in between that works, is not opened again."""


class Session:
    """One candidate, driven through as many adapters as it takes."""

    def __init__(self, candidate: Candidate, dialect: str = "") -> None:
        """Take the candidate, and the dialect to judge it by; "" for its own."""
        self.candidate = candidate
        self._dialect = dialect
        self._adapter: Adapter | None = None
        self._introduction: Introduction | None = None
        self._deployed: dict[Topology, tuple[str, ...] | None] = {}
        self._failures = 0
        self._first_failure = ""
        self._told: Introduction | None = None
        self._driver: Driver | None = None
        self._unanswered = NEVER

    @property
    def introduction(self) -> Introduction:
        """How the candidate has introduced itself; raises AdapterError if it cannot even do that."""
        if self._introduction is None:
            self._open()
        assert self._introduction is not None
        return self._introduction

    @property
    def dialect(self) -> Dialect:
        """The dialect judged by: the one asked for, else the candidate's own.

        Raises AdapterError if it cannot introduce itself, or if there is none of that name.
        """
        name = self._dialect or self.introduction.dialect
        if name not in set(Dialect):
            meant = did_you_mean(name, Dialect) or f"; there are: {', '.join(Dialect)}"
            raise AdapterError(f"hello: there is no dialect {name!r:.80}{meant}")
        return Dialect(name)

    @property
    def book(self) -> Rulebook:
        """What is right in the dialect judged by; raises AdapterError as `dialect` does."""
        return rulebook_of(self.dialect)

    def owes(self, requirement: str) -> bool:
        """Whether a requirement is owed in the dialect judged by."""
        return self.dialect in all_requirements()[requirement].dialects

    def lacks(self, needed: tuple[Capability, ...]) -> tuple[Capability, ...]:
        """Those of the capabilities needed that the candidate does not have."""
        return tuple(capability for capability in needed if capability not in self.introduction.capabilities)

    def member_order(self, topology: Topology) -> tuple[str, ...] | None:
        """The members of a topology, which runs from now on, from the lowest to the highest id, if told.

        Raises AdapterError.
        """
        adapter = self._open()
        if topology not in self._deployed:
            self._deployed = {topology: adapter.deploy(topology).member_order}
        return self._deployed[topology]

    def begin(
        self,
        topology: Topology,
        regions: tuple[RegionAttributes, ...],
        queues: tuple[QueueAttributes, ...] = (),
        clients: tuple[Client, ...] = (),
        *,
        registers: bool = True,
        tombstones: TombstoneSettings | None = None,
        resolver: str = "",
    ) -> tuple[Driver, tuple[str, ...] | None]:
        """Begin an example on a topology; gives its driver and the order of the members' ids.

        Raises AdapterError; the caller then reports it to `failed`.
        """
        order = self.member_order(topology)
        driver = Driver(
            self._open(),
            self.introduction,
            topology,
            order,
            regions,
            queues,
            clients,
            registers=registers,
            tombstones=tombstones,
            resolver=resolver,
            unanswered=self._unanswered,
        )
        self._driver = driver
        return driver, order

    def watching(self, play: Callable[[], Played]) -> Played:
        """Play an example; once more, on a fresh adapter, where `settle` was never answered.

        The listeners are watched then in place of the wait that nothing ended. An adapter that answers
        otherwise shows so what goes on without end. From here on every wait begins with such a look.
        """
        try:
            return play()
        except UnansweredError as error:
            if error.method != "settle" or self._driver is None:
                raise
            self.close()
            self._unanswered = Unanswered(ever=True, wait=self._driver.rest.waits)
            try:
                return play()
            finally:
                self._unanswered = Unanswered(ever=True)

    @property
    def given_up(self) -> bool:
        """Whether the adapter has failed too often in a row to be opened again."""
        return self._failures >= MOST_FAILURES_IN_A_ROW

    def worked(self) -> None:
        """An example has ended in order."""
        self._failures = 0

    def failed(self, error: AdapterError) -> None:
        """The adapter has failed: it is closed, and the next example opens another."""
        if not self.given_up:
            self._first_failure = self._first_failure if self._failures else str(error)
            self._failures += 1
        self.close()

    def close(self) -> None:
        """Stop the candidate."""
        if self._adapter is not None:
            self._adapter.close()
        self._adapter = None
        self._deployed = {}

    def _open(self) -> Adapter:
        if self._adapter is None:
            if self.given_up:
                raise AdapterError(
                    f"the adapter has failed {self._failures} times in a row and is not opened again; "
                    f"first: {self._first_failure}"
                )
            try:
                self._adapter = self._opened()
            except (MissingToolError, UnsupportedError) as error:
                # Nothing can be judged without it, and the runs of other candidates go on.
                raise AdapterError(str(error)) from error
        return self._adapter

    def _opened(self) -> Adapter:
        """A fresh adapter that has introduced itself, each time alike: a run has one candidate."""
        adapter = CheckedAdapter(self.candidate.open())
        try:
            told = adapter.hello()
            self._require_the_same(told, adapter)
            self._introduction = self.candidate.introduced(told)
        except BaseException:
            adapter.close()
            raise
        self._told = self._told or told
        return adapter

    def _require_the_same(self, told: Introduction, adapter: Adapter) -> None:
        change = "" if self._told is None else flaw_of_change(self._told, told)
        if change:
            raise AdapterError(f"hello: the adapter, started again, {change}", adapter.last_words())

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
