"""A session opens an adapter as often as it takes, and believes that it is one and the same candidate."""

from __future__ import annotations

import msgspec
import pytest

from plumbline.adapters.candidates import Candidate, CandidateKind
from plumbline.adapters.errors import AdapterError
from plumbline.adapters.protocol import Introduction
from plumbline.adapters.reference.reference_adapter import ReferenceAdapter
from plumbline.ci.commands.run import process_limits
from plumbline.reference.history.operations import Site, Topology
from plumbline.suites.harness.session import MOST_FAILURES_IN_A_ROW, Session

TOPOLOGY = Topology((Site(1, ("A", "B")),))


def changing(**changes: object) -> Session:
    """A session with a candidate that introduces itself otherwise from the second time on."""
    opened: list[ReferenceAdapter] = []

    class Changing(ReferenceAdapter):
        def hello(self) -> Introduction:
            told = super().hello()
            return msgspec.structs.replace(told, **changes) if self is not opened[0] else told

    def opens() -> ReferenceAdapter:
        opened.append(Changing())
        return opened[-1]

    return Session(Candidate(name="changing", kind=CandidateKind.PYTHON, in_process=True, open=opens))


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"name": "another"}, "says name 'another', and said 'plumbline reference' before"),
        ({"version": "9"}, "says version '9', and said"),
        ({"dialect": "gemfire6"}, "says dialect 'gemfire6', and said 'geode' before"),
        ({"capabilities": ("clear",)}, "says capabilities 'clear', and said 'replicated_regions, "),
        ({"conflated_weight_most": 7}, "says conflated_weight_most '7', and said '1' before"),
        ({"clock_error_ms": None}, "says clock_error_ms 'None', and said '0' before"),
    ],
)
def test_an_adapter_that_is_started_again_introduces_itself_alike(changes: dict[str, object], told: str):
    with changing(**changes) as session:
        assert session.introduction.name == "plumbline reference"
        session.failed(AdapterError("it died"))
        with pytest.raises(AdapterError, match="hello: the adapter, started again, ") as error:
            session.member_order(TOPOLOGY)
    assert told in str(error.value)


def test_the_order_in_which_capabilities_are_named_is_no_change():
    with changing(capabilities=ReferenceAdapter().hello().capabilities[::-1]) as session:
        assert session.introduction
        session.failed(AdapterError("it died"))
        assert session.member_order(TOPOLOGY) == ("A", "B")


def test_an_adapter_that_failed_too_often_is_told_with_the_first_cause_once():
    def opens() -> ReferenceAdapter:
        raise AdapterError("no licence")

    with Session(Candidate(name="broken", kind=CandidateKind.PYTHON, in_process=True, open=opens)) as session:
        session.failed(AdapterError("the first cause"))
        for _ in range(300):
            with pytest.raises(AdapterError) as error:
                session.member_order(TOPOLOGY)
            session.failed(error.value)
    assert str(error.value) == (
        f"the adapter has failed {MOST_FAILURES_IN_A_ROW} times in a row and is not opened again; "
        "first: the first cause"
    )


def test_no_answer_is_given_more_than_a_day():
    assert process_limits(86_400.0).deploy_ms < 2**31
    with pytest.raises(ValueError, match="is more than a day, which no answer is given"):
        process_limits(86_401.0)
