"""Trials: random small examples, conforming and spoilt, on which the search is judged.

The unreduced search decides each trial by looking at everything; the reduced one must agree. A module for
each topology, `one_site` and `two_sites`, knows the form of examples; `corruptions` spoils them. Knows which
of both to combine; knows nothing of either search.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from functools import partial

import msgspec

from plumbline.ci.selftest.generators import (
    lesser_members,
    one_site,
    partitioned,
    three_sites,
    transacting,
    two_sites,
)
from plumbline.ci.selftest.generators.corruptions import CORRUPTIONS, showing_less
from plumbline.reference.catalogue.records import Dialect
from plumbline.reference.history.history import History
from plumbline.reference.history.moments import Called, Returned
from plumbline.reference.history.operations import (
    CONDITIONAL,
    LOCAL_ACTIONS,
    Client,
    HostPolicy,
    OperationKind,
    RegionPolicy,
    Scope,
    TombstoneSettings,
)
from plumbline.reference.history.plans import operations_of
from plumbline.reference.rulebook.book import Rulebook, rulebook_of
from plumbline.reference.rulebook.decision import Decision
from plumbline.reference.rulebook.decisions import (
    CLEARING,
    CLIENTS,
    DECISIONS,
    DISPATCHERS,
    DURABLE,
    FAILURES,
    GATEWAYS,
    GAUGES,
    ONWARD,
    PARTITIONED,
    REPLICATED,
    RESOLVERS,
    TOMBSTONES,
    TRANSACTIONS,
)
from plumbline.reference.rulebook.faulty_variants import FAULTY


def named_book(name: str) -> Rulebook:
    """The rulebook called "" (what the documents say), "faulty VARIANT" or "free DECISION".

    The name of a dialect in front says whose; otherwise it is the first one's.
    """
    words = name.split()
    right = rulebook_of(Dialect(words.pop(0))) if words and words[0] in set(Dialect) else Rulebook()
    match words:
        case ["faulty", variant]:
            return FAULTY[variant].rulebook(right)
        case ["free", decision]:
            return right.with_free(decision)
        case _:
            return right


def _draw_books(draw: random.Random, right: Rulebook, among: Mapping[str, Decision]) -> tuple[str, Rulebook]:
    """The name of the rulebook by which the trial is judged, and the rulebook that makes its history."""
    chance = draw.random()
    if chance < 0.7:
        return "", right
    if chance < 0.85:
        variant = draw.choice(
            sorted(name for name in FAULTY if not among.keys().isdisjoint(FAULTY[name].replaces))
        )
        return f"faulty {variant}", draw.choice((right, FAULTY[variant].rulebook(right)))
    decision = draw.choice(sorted(among))
    variants = [variant.rulebook(right) for variant in FAULTY.values() if decision in variant.replaces]
    return f"free {decision}", draw.choice((right, *variants))


class Trial(msgspec.Struct, frozen=True, kw_only=True):
    """One case.

    Attributes:
        seed: what it was drawn from.
        history: what was seen.
        rulebook: the name of what it is judged by, see `named_book`.
        corruption: how the history was spoilt, "" if it was not.
        operations: how many operations were called.
        overlapping: whether some of them were under way at one time.
    """

    seed: int
    history: History
    rulebook: str
    corruption: str
    operations: int
    overlapping: bool


Palettes = tuple[tuple[OperationKind, ...], ...]

PALETTES: Palettes = (
    one_site.MIXED,
    one_site.MIXED,
    (OperationKind.GET, OperationKind.CONTAINS_KEY),
    (OperationKind.INVALIDATE,),
    (OperationKind.DESTROY, OperationKind.GET),
)
"""Kinds of operations besides puts. Some mistakes show only where a few of one kind meet."""

ACTIONS: Palettes = (
    (*sorted(LOCAL_ACTIONS), OperationKind.GET, OperationKind.INVALIDATE),
    (*sorted(LOCAL_ACTIONS), OperationKind.CREATE, OperationKind.DESTROY, OperationKind.LOCAL_DESTROY),
)
"""The same where regions let entries expire, or evict them, on one member."""

COMPARING: Palettes = (
    (*sorted(CONDITIONAL), OperationKind.GET),
    (*sorted(CONDITIONAL), OperationKind.REPLACE, OperationKind.DESTROY),
)
"""The same where operations expect a value."""

BOTH_SITES = 2
ALL_SITES = 3

OF_TOMBSTONES = {**REPLICATED, **TOMBSTONES, **CLEARING, **GAUGES}

OF_TWO_SITES = {
    name: decision for name, decision in DECISIONS.items() if name not in {*ONWARD, *DISPATCHERS, *FAILURES}
}
"""What is asked of one site or two, where senders have one dispatcher."""

OF_DISPATCHERS = {**GATEWAYS, **DISPATCHERS}

OF_THREE_SITES = {**GATEWAYS, **ONWARD}

OF_DURABLE = {**CLIENTS, **DURABLE}

OF_TRANSACTIONS = {**REPLICATED, **TRANSACTIONS}

MOST_IN_TRANSACTIONS = 5
"""So many operations besides begins and ends the judge can look at where some are of a transaction."""

MOST_AT_BUCKETS = 5
"""So many operations on a partitioned region the judge can look at."""


def _one_site(
    draw: random.Random, book: Rulebook, seed: int, palettes: Palettes = PALETTES
) -> tuple[int, History]:
    """A small chaotic example within one site, and how many operations it has."""
    shape = one_site.OneSiteShape(
        operations=draw.randrange(3, 9),
        keys=draw.choice((("x",), ("x",), ("x", "y"))),
        members=draw.choice((2, 3, 3)),
        checks=draw.choice((None, None, True, False)),
        scope=draw.choice((Scope.ACK, Scope.ACK, Scope.NO_ACK)),
        mixed=draw.choice((0.3, 0.7)),
        others=draw.choice(palettes),
        started=draw.choice((0.3, 0.8)),
        parked=draw.choice((0.2, 0.2, 0.5)),
        settled=draw.choice((0.1, 0.1, 0.3)),
        looks=draw.choice((0.0, 0.3)),
        redelivered=draw.choice((0.0, 0.0, 0.0, 0.3)),
    )
    if draw.random() < 0.25:
        client = Client(name="K", servers=(draw.choice("AB"),), checks=draw.choice((None, False)))
        shape = msgspec.structs.replace(shape, operations=min(shape.operations, 5), clients=(client,))
        if draw.random() < 0.6:
            shape = msgspec.structs.replace(
                shape,
                operations=min(shape.operations, 4),
                settled=0.3,
                registers=draw.random() < 0.3,
                interests=0.4,
            )
        if draw.random() < 0.3:
            secured = draw.choice((0, 1))
            client = Client(
                name="K", servers=("B", "A"), redundancy=secured, checks=draw.choice((None, False, False))
            )
            shape = msgspec.structs.replace(
                shape,
                members=3,
                operations=min(shape.operations, 4),
                clients=(client,),
                interests=draw.choice((0.0, 0.2)),
                redelivered=0.0,
                dying=("B",),
            )
    plan = one_site.draw_plan(draw, shape)
    return shape.operations, one_site.run_on_reference(plan, shape, book=book, seed=seed)


def _with_clients(
    draw: random.Random, book: Rulebook, seed: int, palettes: Palettes = PALETTES
) -> tuple[int, History]:
    """A chaotic example within one site with one or two clients, as large as the judge can look at."""
    calling = draw.random() < 0.5
    checks = draw.choice((None, False, False))
    if calling:
        names = draw.choice(("K", "K", "KL"))
        clients = tuple(Client(name=name, servers=(draw.choice("AB"),), checks=checks) for name in names)
    else:
        secured, members = draw.choice(((0, 2), (0, 3), (1, 2), (1, 3), (2, 3)))
        servers = ("B", "A", "C")[: max(2, secured + 1)]
        clients = (Client(name="K", servers=servers, redundancy=secured, checks=checks),)
    shape = one_site.OneSiteShape(
        operations=draw.randrange(3, 7),
        keys=draw.choice((("x",), ("x", "y"))),
        members=draw.choice((2, 2, 3)) if calling else members,
        checks=draw.choice((None, None, True, False)),
        scope=draw.choice((Scope.ACK, Scope.ACK, Scope.NO_ACK)),
        mixed=draw.choice((0.0, 0.3, 0.7)),
        others=draw.choice(palettes),
        started=draw.choice((0.3, 0.8)),
        parked=draw.choice((0.0, 0.0, 0.2)),
        settled=draw.choice((0.1, 0.1, 0.3)),
        looks=draw.choice((0.0, 0.3)),
        redelivered=draw.choice((0.0, 0.0, 0.0, 0.2)) if calling else 0.0,
        clients=clients,
        registers=draw.random() < 0.6,
        interests=draw.choice((0.0, 0.0, 0.2, 0.4)),
        dying=() if calling else draw.choice(((), ("B",), ("B",), ("A",), ("B", "A")))[: len(servers) - 1],
    )
    if shape.dying and draw.random() < 0.4:
        # With another member alive all servers may die, and be started again.
        dying = ("B", "A") if shape.members == 3 and len(servers) == 2 else shape.dying
        shape = msgspec.structs.replace(shape, dying=dying, restarts=0.4)
    if calling and draw.random() < 0.3:
        if draw.random() < 0.5:
            turning = msgspec.structs.replace(clients[0], servers=("A", "B"))
            shape = msgspec.structs.replace(shape, clients=(turning, *clients[1:]))
        shape = msgspec.structs.replace(shape, unanswered=0.4, operations=min(shape.operations, 4))
    plan = one_site.draw_plan(draw, shape)
    return shape.operations, one_site.run_on_reference(plan, shape, book=book, seed=seed)


def _with_durable(draw: random.Random, book: Rulebook, seed: int) -> tuple[int, History]:
    """A chaotic example within one site of a durable client, as large as the judge can look at."""
    servers, secured, members, dying = draw.choice(
        (
            *((("B",), 0, 2, ()), (("B", "A"), 1, 2, ()), (("B", "A"), 1, 3, ("B",))),
            *((("B", "A"), 0, 3, ("B",)), (("B", "A"), 1, 2, ("B",)), (("B", "A", "C"), 2, 3, ("B", "A"))),
        )
    )
    client = Client(name="K", servers=servers, redundancy=secured, durable_id="k", durable_timeout_s=20)
    shape = one_site.OneSiteShape(
        operations=draw.randrange(3, 8),
        keys=draw.choice((("x",), ("x", "y"))),
        members=members,
        checks=draw.choice((None, None, True, False)),
        scope=draw.choice((Scope.ACK, Scope.ACK, Scope.NO_ACK)),
        mixed=draw.choice((0.0, 0.3, 0.7)),
        others=draw.choice(PALETTES),
        started=draw.choice((0.3, 0.8)),
        parked=draw.choice((0.0, 0.0, 0.2)),
        settled=draw.choice((0.0, 0.2)),
        clients=(client,),
        registers=False,
        dying=dying,
        lives=draw.choice((0.2, 0.4)),
        leaps=draw.choice((0.0, 0.0, 0.0, 0.3)),
    )
    plan = one_site.draw_plan(draw, shape)
    return shape.operations, one_site.run_on_reference(plan, shape, book=book, seed=seed)


def _with_policies(
    draw: random.Random, book: Rulebook, seed: int, palettes: Palettes = PALETTES
) -> tuple[int, History]:
    """A chaotic example within one site, some members of which keep less than a replicate."""
    shape = lesser_members.shape(draw, 4, palettes)
    plan = one_site.draw_plan(draw, shape)
    return shape.operations, one_site.run_on_reference(plan, shape, book=book, seed=seed)


def _at_buckets(
    draw: random.Random, book: Rulebook, seed: int, palettes: Palettes = ()
) -> tuple[int, History]:
    """A chaotic example within one site, of a partitioned region."""
    shape = partitioned.draw_shape(draw, MOST_AT_BUCKETS)
    if palettes:
        shape = msgspec.structs.replace(shape, others=draw.choice(palettes))
    plan = one_site.draw_plan(draw, shape)
    return shape.operations, one_site.run_on_reference(plan, shape, book=book, seed=seed)


def _with_tombstones(draw: random.Random, book: Rulebook, seed: int) -> tuple[int, History]:
    """A chaotic example within one site in which tombstones are collected, or the region is cleared."""
    clears = draw.random() < 0.4
    destroys = (OperationKind.DESTROY, OperationKind.DESTROY, OperationKind.CREATE, OperationKind.GET)
    shape = one_site.OneSiteShape(
        operations=draw.randrange(3, 7),
        keys=draw.choice((("x",), ("x",), ("x", "y"))),
        members=draw.choice((2, 2, 3)),
        scope=draw.choice((Scope.ACK, Scope.ACK, Scope.NO_ACK)),
        mixed=0.6,
        others=(*destroys[1:], OperationKind.CLEAR) if clears else destroys,
        started=draw.choice((0.2, 0.6)),
        parked=draw.choice((0.0, 0.2)),
        settled=draw.choice((0.1, 0.4)),
        looks=draw.choice((0.0, 0.4)),
        tombstones=TombstoneSettings(
            timeout_ms=20_000,
            threshold=draw.choice((1, 1, 2, None)),
            other_timeout_ms=draw.choice((20_000, 10_000)),
            thresholds=draw.choice(((), (("A", 1),))),
        ),
        leaps=0.0 if clears else 0.4,
        dying=draw.choice(((), (), ("A",))) if clears else (),
        policies=draw.choice(((), (), (HostPolicy("B", RegionPolicy.NORMAL),))) if not clears else (),
    )
    plan = one_site.draw_plan(draw, shape)
    return shape.operations, one_site.run_on_reference(plan, shape, book=book, seed=seed)


def _two_sites(
    draw: random.Random, book: Rulebook, seed: int, *, resolvers: bool = False, dispatchers: bool = False
) -> tuple[int, History]:
    """A small chaotic example of two sites with none, one or two faults, and how many operations it has."""
    faults = tuple(two_sites.any_fault(draw) for _ in range(draw.choice((0, 1, 1, 2))))
    sites = (two_sites.ONE_RECEIVES, two_sites.ONE_SENDS)
    shape = two_sites.TwoSitesShape(
        topology=draw.choice((two_sites.TOPOLOGY, *sites)) if len(faults) < 2 else draw.choice(sites),
        operations=draw.randrange(2, 5 - len(faults)) if len(faults) < 2 else 2,
        keys=draw.choice((("x",), ("x", "y"))),
        writers=draw.choice((("A",), ("B",), ("A", "B"), ("A", "C"), ("A", "B", "C", "D"))),
        mixed=draw.choice((0.0, 0.3)),
        started=draw.choice((0.3, 0.8)),
        parked=draw.choice((0.0, 0.0, 0.2)),
        looks=draw.choice((0.0, 0.0, 0.2)),
        settled=0.1,
        faults=faults,
    )
    if draw.random() < 0.25:
        faults = (*faults[:1], *two_sites.held_time(draw))
        shape = msgspec.structs.replace(
            shape,
            topology=draw.choice(sites),
            operations=min(shape.operations, 3),
            settled=0.3,
            faults=faults,
            writers=draw.choice((shape.writers, ("A", "C"))),
        )
    if resolvers:
        shape = msgspec.structs.replace(
            shape,
            keys=("x",),
            writers=draw.choice((("A", "C"), ("A", "B", "C", "D"))),
            resolver=draw.choice(two_sites.POLICIES),
        )
    if dispatchers:
        shape = msgspec.structs.replace(
            shape,
            operations=draw.randrange(2, 4),
            dispatchers=draw.randrange(2, 4),
            order_policy=draw.choice(("key", "thread")),
            topology=draw.choice((two_sites.TOPOLOGY, *sites, *sites)),
            faults=shape.faults[:1],
        )
    plan = two_sites.draw_plan(draw, shape)
    return shape.operations, two_sites.run_on_reference(plan, book=book, seed=seed)


def _three_sites(
    draw: random.Random, book: Rulebook, seed: int, *, resolvers: bool = False
) -> tuple[int, History]:
    """A small chaotic example of three sites, and how many operations it has."""
    shape = three_sites.ThreeSitesShape(
        operations=draw.choice((2, 2, 3)),
        topology=draw.choice((three_sites.ALONE, three_sites.ALONE, three_sites.ONE_OF_TWO)),
        keys=draw.choice((("x",), ("x",), ("x", "y"))),
        mixed=draw.choice((0.0, 0.4)),
        started=draw.choice((0.3, 0.8)),
        cuts=draw.choice((0.0, 0.2, 0.5)),
        held=draw.random() < 0.4,
        resolver=draw.choice(two_sites.POLICIES) if resolvers else "",
    )
    # Drawn apart, so that trials where each is linked to each stay what they were.
    linked = random.Random(f"linked {seed}").choice(  # noqa: S311 - reproducible trials, not secrets
        (three_sites.MESH, *three_sites.LINKED)
    )
    plan = three_sites.draw_plan(draw, msgspec.structs.replace(shape, linked=linked))
    return shape.operations, two_sites.run_on_reference(plan, book=book, seed=seed)


def draw_trial(
    seed: int,
    sites: int = 1,
    dialect: Dialect = Dialect.GEMFIRE6,
    *,
    clients: bool = False,
    durable: bool = False,
    policies: bool = False,
    tombstones: bool = False,
    buckets: bool = False,
    resolvers: bool = False,
    dispatchers: bool = False,
    transactions: bool = False,
    actions: bool = False,
    comparing: bool = False,
) -> Trial:
    """The trial of this seed, by one of the dialects: a small chaotic example, a third of them spoilt once.

    Most are judged by what the documents say; some by a faulty variant or with a decision left open, since
    the oracle asks such questions, too. With `clients`, each of one site has a client; with `durable`, one
    that goes and comes back; with `policies`, a member that keeps less than a replicate; with `tombstones`,
    each lets time pass; with `buckets` its region is partitioned; with `resolvers`, each of several sites
    has conflict resolvers; with `dispatchers`, the sender of the first of two sites has several; with
    `transactions`, there is one; with `actions`, regions of one site let entries expire, or evict them, on
    one member alone; with `comparing`, members call operations that expect a value, a third of them beside
    clients, a third on partitioned regions.
    """
    draw = random.Random(seed)  # noqa: S311 - reproducible trials, not secrets
    among = OF_TOMBSTONES if tombstones else PARTITIONED if buckets else OF_TWO_SITES
    among = OF_DURABLE if durable else among
    among = RESOLVERS if resolvers else OF_THREE_SITES if sites == ALL_SITES else among
    among = OF_TRANSACTIONS if transactions else OF_DISPATCHERS if dispatchers else among
    rulebook, made_by = _draw_books(draw, rulebook_of(dialect), among)
    if dialect is not Dialect.GEMFIRE6:
        rulebook = f"{dialect} {rulebook}".strip()
    if sites == BOTH_SITES:
        operations, history = _two_sites(draw, made_by, seed, resolvers=resolvers, dispatchers=dispatchers)
    elif sites == ALL_SITES:
        operations, history = _three_sites(draw, made_by, seed, resolvers=resolvers)
    elif transactions:
        plan, shape = transacting.draw_plan(draw, MOST_IN_TRANSACTIONS)
        operations = len(operations_of(plan))
        history = one_site.run_on_reference(plan, shape, book=made_by, seed=seed)
    elif comparing:
        compares = (_one_site, _with_clients, _at_buckets)[seed % 3]
        operations, history = compares(draw, made_by, seed, COMPARING)
    elif buckets:
        operations, history = _at_buckets(draw, made_by, seed)
    else:
        example: Callable[[random.Random, Rulebook, int], tuple[int, History]]
        example = _with_policies if policies else _with_clients if clients else _one_site
        example = _with_tombstones if tombstones else _with_durable if durable else example
        example = partial(_with_policies, palettes=ACTIONS) if actions else example
        operations, history = example(draw, made_by, seed)
    overlapping = _overlaps(history)
    history = showing_less(history, draw)
    corruption = ""
    if seed % 3 == 0:
        names = sorted(CORRUPTIONS)
        draw.shuffle(names)
        for name in names:
            spoilt = CORRUPTIONS[name](history, draw)
            if spoilt is not None and spoilt != history:
                history, corruption = spoilt, name
                break
    return Trial(
        seed=seed,
        history=history,
        rulebook=rulebook,
        corruption=corruption,
        operations=operations,
        overlapping=overlapping,
    )


def _overlaps(history: History) -> bool:
    """Whether two operations were under way at one time."""
    under_way = 0
    for what in history.timeline:
        under_way += isinstance(what, Called) - isinstance(what, Returned)
        if under_way > 1:
            return True
    return False
