"""Right runs: examples that are right by construction, larger than a judge could look at.

The chaotic reference plays them, and what it showed is made to show less. A refuted one shows a claim that is
not true, or an abstraction of the model that leaves something out. Knows nothing of the search.
"""

from __future__ import annotations

import random

import msgspec

from plumbline.ci.selftest.generators import lesser_members, one_site, partitioned, three_sites, two_sites
from plumbline.ci.selftest.generators.corruptions import showing_less
from plumbline.ci.selftest.generators.held_plans import draw_held_plan
from plumbline.ci.selftest.generators.random_trials import ALL_SITES, BOTH_SITES, PALETTES
from plumbline.reference.catalogue.records import Dialect
from plumbline.reference.explain.groundless import groundless
from plumbline.reference.explain.search_stages import search
from plumbline.reference.history.fault_kinds import FaultKind
from plumbline.reference.history.history import History
from plumbline.reference.history.operations import Client, Scope
from plumbline.reference.rulebook.book import Rulebook, rulebook_of
from plumbline.reference.search.search import Answer, Budget

BUDGET = Budget(states=4_000)
"""Most are explained in a few hundred; looking longer at one finds less than looking at more of them."""


MOST_TRIES = 20
"""So often a run is made to show less, until what it shows has a cause."""


class Asked(msgspec.Struct, frozen=True, kw_only=True):
    """What the search said of one right run, after so many states."""

    seed: int
    answer: Answer
    states: int


def draw_right(
    seed: int,
    sites: int,
    book: Rulebook,
    *,
    clients: bool = False,
    policies: bool = False,
    buckets: bool = False,
    less: bool = True,
) -> History:
    """The right run of this seed: three to eleven operations at one site, or fewer at more, with faults.

    Args:
        seed: what everything is drawn from.
        sites: one, two or three, of which each is linked to each, or that are in a chain or a ring.
        book: whose reading of the documents the reference follows.
        clients: whether each of one site has some.
        policies: whether some member of each keeps less than a replicate.
        buckets: whether the region of one site is partitioned.
        less: whether the run then shows less than was seen; that is right all the same, but would look
            like a system that tells too little.
    """
    draw = random.Random(f"right {seed}")  # noqa: S311 - reproducible examples, not secrets
    if sites == BOTH_SITES:
        whole = _two_sites(draw, seed, book)
    elif sites == ALL_SITES:
        whole = _three_sites(draw, seed, book)
    elif policies:
        shape = lesser_members.shape(draw, 7, PALETTES)
        whole = one_site.run_on_reference(one_site.draw_plan(draw, shape), shape, book=book, seed=seed)
    elif buckets:
        shape = partitioned.draw_shape(draw, 9)
        whole = one_site.run_on_reference(one_site.draw_plan(draw, shape), shape, book=book, seed=seed)
    else:
        whole = _one_site(draw, seed, book, SURELY if clients else ANY)
    return rightly_showing_less(whole, draw) if less else whole


def rightly_showing_less(whole: History, draw: random.Random) -> History:
    """The run made to show less, which stays right: no call loses its answer on a healthy system."""
    for _ in range(MOST_TRIES):
        shown = showing_less(whole, draw)
        if groundless(shown) is None:
            return shown
    return whole


def ask_about(
    seed: int,
    sites: int,
    dialect: Dialect,
    *,
    clients: bool = False,
    policies: bool = False,
    buckets: bool = False,
) -> Asked:
    """Draw the run of this seed and ask the search whether the model can show it."""
    book = rulebook_of(dialect)
    found = search(
        draw_right(seed, sites, book, clients=clients, policies=policies, buckets=buckets), book, BUDGET
    )
    return Asked(seed=seed, answer=found.answer, states=found.visited)


def ask_about_held(seed: int, dialect: Dialect) -> Asked:
    """The same of the run of this seed in which listeners of two sites are held while anything breaks."""
    book = rulebook_of(dialect)
    plan = draw_held_plan(random.Random(f"held {seed}"))  # noqa: S311 - reproducible examples, not secrets
    found = search(two_sites.run_on_reference(plan, book=book, seed=seed), book, BUDGET)
    return Asked(seed=seed, answer=found.answer, states=found.visited)


ANY, SURELY = (0.4, 0.3), (0.5, 1.0)
"""How likely clients call, and if they do not, how likely there is one of several servers."""


def _one_site(draw: random.Random, seed: int, book: Rulebook, clients_are: tuple[float, float]) -> History:
    shape = one_site.OneSiteShape(
        operations=draw.randrange(3, 12),
        keys=draw.choice((("x",), ("x", "y"))),
        members=draw.choice((2, 3, 4)),
        checks=draw.choice((None, None, True, False)),
        scope=draw.choice((Scope.ACK, Scope.ACK, Scope.NO_ACK)),
        mixed=draw.choice((0.3, 0.7)),
        others=draw.choice(PALETTES),
        started=draw.choice((0.3, 0.8)),
        parked=draw.choice((0.2, 0.5)),
        settled=draw.choice((0.1, 0.3)),
        looks=draw.choice((0.0, 0.3)),
        redelivered=draw.choice((0.0, 0.0, 0.3)),
    )
    # Drawn apart, so that the runs without it stay what they were.
    more = random.Random(f"behind {seed}")  # noqa: S311 - reproducible examples, not secrets
    calling, listening = clients_are
    if draw.random() < calling:
        clients = tuple(
            Client(name=name, servers=(draw.choice("AB"),), checks=draw.choice((None, False)))
            for name in draw.choice(("K", "KL"))
        )
        shape = msgspec.structs.replace(
            shape,
            operations=min(shape.operations, 8),
            clients=clients,
            registers=draw.random() < 0.5,
            interests=draw.choice((0.0, 0.3)),
            unanswered=more.choice((0.0, 0.0, 0.0, 0.3)),
        )
    elif draw.random() < listening:
        secured = draw.choice((0, 1, 2))
        servers = ("B", "A", "C") if secured == 2 else ("B", "A")
        shape = msgspec.structs.replace(
            shape,
            members=4,
            operations=min(shape.operations, 8),
            redelivered=0.0,
            clients=(Client(name="K", servers=servers, redundancy=secured, checks=False),),
            interests=draw.choice((0.0, 0.2)),
            dying=draw.choice((("B",), ("A",), ("B", "A")))[: max(1, secured)],
            restarts=more.choice((0.0, 0.0, 0.4)),
        )
        if shape.restarts and more.random() < 0.5:
            shape = msgspec.structs.replace(shape, dying=servers)
    plan = one_site.draw_plan(draw, shape)
    return one_site.run_on_reference(plan, shape, book=book, seed=seed)


def _two_sites(draw: random.Random, seed: int, book: Rulebook) -> History:
    kinds = draw.choice(((FaultKind.CRASH,), tuple(two_sites.MENDING), (FaultKind.CRASH, *two_sites.MENDING)))
    faults = tuple(two_sites.any_fault(draw, kinds) for _ in range(draw.choice((0, 1, 1, 2))))
    shape = two_sites.TwoSitesShape(
        operations=draw.randrange(3, 9),
        keys=draw.choice((("x",), ("x", "y"), ("x", "y"))),
        writers=draw.choice((("A", "B"), ("A", "B"), ("A", "C"), ("A", "B", "C", "D"))),
        mixed=draw.choice((0.0, 0.0, 0.3)),
        started=draw.choice((0.3, 0.8)),
        parked=draw.choice((0.0, 0.2, 0.4)),
        looks=draw.choice((0.0, 0.0, 0.2)),
        settled=0.05,
        faults=faults,
        batch_size=draw.choice((1, 2, 5)),
    )
    return two_sites.run_on_reference(two_sites.draw_plan(draw, shape), book=book, seed=seed)


def _three_sites(draw: random.Random, seed: int, book: Rulebook) -> History:
    shape = three_sites.ThreeSitesShape(
        operations=draw.randrange(2, 6),
        topology=draw.choice((three_sites.ALONE, three_sites.ONE_OF_TWO)),
        linked=draw.choice((three_sites.MESH, *three_sites.LINKED)),
        keys=draw.choice((("x",), ("x", "y"))),
        mixed=draw.choice((0.0, 0.4)),
        started=draw.choice((0.3, 0.8)),
        settled=0.3,
        cuts=draw.choice((0.0, 0.2, 0.5)),
        held=draw.random() < 0.3,
    )
    return two_sites.run_on_reference(three_sites.draw_plan(draw, shape), book=book, seed=seed)
