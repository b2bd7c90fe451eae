import random
from itertools import permutations

import pytest

from plumbline.reference.search.hashed_map import HashedMap
from plumbline.reference.search.ordering import Choice, Name, Order, RandomOrder, by_age, by_what_shows


def choice(likelihood: int, *name: str | int) -> Choice:
    return Choice(likelihood, name, HashedMap(), None)


OLD = choice(0, "receives", "B", 5)
OLD_AND_SHOWN = choice(256, "applies", "B", 5)
NEW_AND_SHOWN = choice(256, "applies", "A", 7)
CONNECTS = choice(0, "connects", "A", "D")
FAULT = choice(-65536, "crash of A", 1)
ALL = (OLD, OLD_AND_SHOWN, NEW_AND_SHOWN, CONNECTS, FAULT)


def tried(order: Order, choices: list[Choice]) -> list[Name]:
    """The names of the choices, the one that is tried first first."""
    order(choices, 0)
    return [choice.name for choice in reversed(choices)]


@pytest.mark.parametrize("given", list(permutations(ALL))[::13])
def test_what_is_about_the_operation_that_was_called_first_is_tried_first_and_faults_last(
    given: tuple[Choice, ...],
):
    rightly = [CONNECTS, OLD_AND_SHOWN, OLD, NEW_AND_SHOWN, FAULT]
    assert tried(by_age, list(given)) == [choice.name for choice in rightly]


def test_what_shows_most_may_be_tried_first_whatever_it_is_about():
    assert tried(by_what_shows, [OLD, NEW_AND_SHOWN, FAULT]) == [
        choice.name for choice in (NEW_AND_SHOWN, OLD, FAULT)
    ]


def frequency(seed: int, first: Choice) -> float:
    """In how many of a thousand drawn orders a choice is tried first."""
    order, dice = RandomOrder(seed), random.Random(1)  # noqa: S311 - a sample, not secrets
    return sum(tried(order, dice.sample(ALL, len(ALL)))[0] == first.name for _ in range(1000)) / 1000


def test_a_drawn_order_is_any_or_nearly_that_by_age():
    for first in ALL:
        assert 0.15 < frequency(2, first) < 0.25
    assert 0.7 < frequency(3, CONNECTS) < 0.85
    for seed in (2, 3):
        drawn = [tried(RandomOrder(seed), list(ALL)) for _ in range(2)]
        assert drawn[0] == drawn[1], "an order is drawn from its seed alone"
