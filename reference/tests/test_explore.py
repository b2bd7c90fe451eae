"""Exploring small worlds whole: the ends do not depend on what is claimed, and mistakes are found."""

from __future__ import annotations

import pytest

from plumbline.reference.explore.findings import all_programs, explore
from plumbline.reference.explore.programs import Program, Shape, programs
from plumbline.reference.explore.promises import holdings
from plumbline.reference.explore.scopes import SHAPES, Part, Scope
from plumbline.reference.explore.walk import Walked, walk
from plumbline.reference.history import FaultKind
from plumbline.reference.operations import OperationKind
from plumbline.reference.rulebook.book import Rulebook
from plumbline.reference.rulebook.faulty import FAULTY

PUT = OperationKind.PUT
BREAKING = (FaultKind.LINK_DOWN, FaultKind.REPLIES_LOST, FaultKind.RECEIVER_STOP)
BROKEN = Shape(sites=(("A",), ("B",)), operations=1, kinds=(PUT,), faults=1, fault_kinds=BREAKING)


def circle() -> Program:
    """The lower member of site 1 writes last, its peer first, site 2 in between."""
    shape = Shape(sites=(("A", "B"), ("C",)), operations=3, kinds=(PUT,))
    (found,) = [one for one in programs(shape) if [op.member for op in one.operations] == ["B", "C", "A"]]
    return found


def ends(walked: Walked) -> set[tuple[object, ...]]:
    assert walked.whole
    return {tuple(holdings(walked.program, end.world).items()) for end in walked.ends}


@pytest.mark.parametrize("part", Part)
def test_whatever_is_looked_at_in_ci_keeps_every_promise(part: Part):
    found = [explore(program, Rulebook()) for program in all_programs(part, Scope.SMALL)]
    assert [finding for one in found for finding in one.findings] == []
    assert all(one.whole for one in found)
    assert max(one.ends for one in found) > 1


@pytest.mark.parametrize(
    "shape",
    [*SHAPES[Part.REPLICATED, Scope.SMALL][:3], SHAPES[Part.GATEWAYS, Scope.SMALL][0], BROKEN],
    ids=str,
)
def test_what_is_claimed_takes_no_end_away(shape: Shape):
    fewer = 0
    for program in list(programs(shape))[::5]:
        reduced, thorough = walk(program, Rulebook()), walk(program, Rulebook(), reduced=False)
        assert ends(reduced) == ends(thorough), str(program)
        fewer += thorough.states - reduced.states
    assert fewer > 0


def test_the_circle_of_three_updates_is_found_and_told_as_allowed():
    found = explore(circle(), Rulebook())
    (finding,) = found.findings
    assert finding.requirement == "CONS-RR-04"
    assert finding.held["A"] != finding.held["B"]
    assert "each may beat the next" in finding.allowed
    assert finding.run[0] == "B calls put 1"


@pytest.mark.parametrize(
    ("variant", "part", "requirement"),
    [
        ("later-refused", Part.GATEWAYS, "WANC-CHK-01"),
        ("destroys-stay", Part.GATEWAYS, "WANC-CHK-01"),
        ("late-wins", Part.REPLICATED, "CONS-RR-04"),
        ("tie-keeps-own", Part.REPLICATED, "CONS-RR-04"),
        ("own-is-highest", Part.REPLICATED, "CONS-RR-04"),
    ],
)
def test_a_mistake_is_found(variant: str, part: Part, requirement: str):
    book = FAULTY[variant].rulebook(Rulebook())
    # One shape is enough: each of these mistakes shows where two members write, or one writes twice.
    found = {
        finding.requirement
        for program in programs(SHAPES[part, Scope.SMALL][0])
        for finding in explore(program, book).findings
    }
    assert requirement in found


def test_too_many_states_are_told():
    assert not walk(circle(), Rulebook(), most=50).whole
