"""`plumbline trials`: is the search right? Compares it with its judge on random small examples.

Knows the command line and what is printed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Literal, NoReturn, TypeVar

import click
from rich.console import Console
from rich.table import Table

from plumbline.ci.selftest.checks.accusations import TOGETHER, Accusation, Heard, hear
from plumbline.ci.selftest.generators.drawn_plans import Drawn, play_drawn
from plumbline.ci.selftest.generators.random_trials import BOTH_SITES, draw_trial
from plumbline.ci.selftest.generators.right_runs import Asked, ask_about, ask_about_held
from plumbline.ci.selftest.soundness.comparison import Comparison, compare, counts
from plumbline.ci.terminal import completion
from plumbline.ci.terminal.documents import Document, show
from plumbline.ci.terminal.progress import end, patiently, tracked, until_stopped
from plumbline.reference.catalogue.records import Dialect
from plumbline.reference.search.search import Answer
from plumbline.suites.machines.all_machines import MACHINES

_T = TypeVar("_T")

CHAOTIC = "reference:chaotic"
"""Right, in every order that the documents allow."""

_EPILOG = """\
\b
Examples:
  plumbline trials --cases 5000
  plumbline trials --cases 1 --seed 4711      one trial again
  plumbline trials --clients                  one site with clients
  plumbline trials --durable                  one site with a durable client that goes and comes back
  plumbline trials --policies                 one site some members of which keep less than a replicate
  plumbline trials --buckets                  a partitioned region, its copies, a lost primary
  plumbline trials --transactions             a transaction beside plain operations
  plumbline trials --sites 2                  gateways between two sites, with faults
  plumbline trials --sites 2 --resolvers      the same, and conflict resolvers
  plumbline trials --sites 2 --dispatchers    senders that dispatch by several threads
  plumbline trials --sites 3                  three sites, each linked to each, in a chain or in a ring
  plumbline trials --sites 2 --dialect geode  where a sender need not wait for answers
  plumbline trials --right --sites 2 --cases 3000
  plumbline trials --right --sites 3            rings and chains among them, too
  plumbline trials --held --cases 20000         listeners held at receivers, too, while anything breaks
  plumbline trials --rules --sites 2 --cases 3000
  plumbline trials --machine client_pipeline --machine client_failover --cases 2000

\b
Exit codes:
  0  they agree on every trial that both decide, and the model takes each run found; with --right, --held:
     nothing right is refuted; with --rules: no rule accuses anything right; with --machine: no history is
     refuted, and the model takes each run found
  1  otherwise
"""


class TrialsDocument(Document, frozen=True, kw_only=True, tag="plumbline.trials"):
    """How the search and the exhaustive search agree.

    Attributes:
        cases: number of trials.
        undecided: number of trials that one of them did not decide.
        answers: of the search, by how the example was spoilt; "" for not at all.
        disagreements: trials on which they disagree.
    """

    schema_version: Literal[1] = 1
    cases: int
    undecided: int
    answers: dict[str, dict[Answer, int]]
    disagreements: tuple[Comparison, ...]


class TrialsRightDocument(Document, frozen=True, kw_only=True, tag="plumbline.trials-right"):
    """Right runs that the search refuted or did not decide."""

    schema_version: Literal[1] = 1
    cases: int
    refuted: tuple[Asked, ...]
    unknown: tuple[Asked, ...]


class TrialsRulesDocument(Document, frozen=True, kw_only=True, tag="plumbline.trials-rules"):
    """Right runs that a rule accused."""

    schema_version: Literal[1] = 1
    cases: int
    judged: tuple[str, ...]
    accusations: tuple[Accusation, ...]


class TrialsMachinesDocument(Document, frozen=True, kw_only=True, tag="plumbline.trials-machines"):
    """What the search said of the plans that each machine drew."""

    schema_version: Literal[1] = 1
    cases: int
    machines: tuple[Drawn, ...]


@click.command("trials", epilog=_EPILOG)
@click.option("--cases", type=click.IntRange(min=1), default=300, show_default=True, help="Number of trials.")
@click.option("--seed", type=int, default=0, show_default=True, help="The first trial's seed; then one up.")
@click.option("--sites", type=click.IntRange(1, 3), default=1, show_default=True, help="How many sites.")
@click.option("--clients", is_flag=True, help="Only examples with clients, of one site.")
@click.option("--durable", is_flag=True, help="Only examples with a durable client, of one site.")
@click.option("--policies", is_flag=True, help="Only examples with normal, preloaded or empty members.")
@click.option("--buckets", is_flag=True, help="Only examples of partitioned regions, of one site.")
@click.option(
    "--dialect",
    type=click.Choice([dialect.value for dialect in Dialect]),
    default=Dialect.GEMFIRE6.value,
    show_default=True,
    help="The dialect of the documents to follow.",
)
@click.option(
    "--right", is_flag=True, help="Larger examples, right by construction, that the search has to explain."
)
@click.option(
    "--held",
    is_flag=True,
    help="Right runs of two sites in which listeners are held anywhere while links and receivers break.",
)
@click.option("--tombstones", is_flag=True, help="Let tombstones expire in each, or clear the region.")
@click.option("--resolvers", is_flag=True, help="Install conflict resolvers in each, of several sites.")
@click.option(
    "--dispatchers",
    is_flag=True,
    help="Have the sender of the first of two sites dispatch by several threads.",
)
@click.option("--transactions", is_flag=True, help="Only examples with transactions, of one site.")
@click.option(
    "--actions", is_flag=True, help="Let entries expire, or evict them, on one member of one site alone."
)
@click.option("--comparing", is_flag=True, help="Call operations that expect a value, in each of one site.")
@click.option("--rules", is_flag=True, help="The same larger examples, of which no rule may accuse one.")
@click.option(
    "--machine",
    "machines",
    multiple=True,
    type=click.Choice(list(MACHINES)),
    metavar="NAME",
    help="Different plans that this state machine draws, which the search has to explain; may be repeated.",
)
@click.option(
    "--candidate",
    "candidates",
    multiple=True,
    metavar="C",
    shell_complete=completion.candidates,
    help="Who plays them; may be repeated.  [default: reference:chaotic]",
)
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def command(
    cases: int,
    seed: int,
    sites: int,
    clients: bool,
    durable: bool,
    policies: bool,
    tombstones: bool,
    buckets: bool,
    resolvers: bool,
    dispatchers: bool,
    transactions: bool,
    actions: bool,
    comparing: bool,
    dialect: str,
    right: bool,
    held: bool,
    rules: bool,
    machines: tuple[str, ...],
    candidates: tuple[str, ...],
    as_json: bool,
) -> None:
    """Compare the search with the exhaustive search on random small examples. One third of them are wrong."""
    kinds = (
        *(clients, durable, policies, tombstones, buckets, resolvers, dispatchers, transactions),
        *(actions, comparing),
        *(right, held, rules),
    )
    if machines and (any(kinds) or sites > 1):
        raise click.UsageError(
            "--machine draws plans of its own, and goes with --cases, --seed and --candidate"
        )
    if candidates and not machines:
        raise click.UsageError("--candidate says who plays the plans of a --machine")
    if machines:
        _play_machines(machines, candidates or (CHAOTIC,), cases, seed, as_json=as_json)
    alone = (clients, durable, policies, buckets, tombstones, transactions, actions, comparing, sites > 1)
    if sum(alone) > 1:
        raise click.UsageError(
            "--clients, --durable, --policies, --buckets, --tombstones, --transactions, --actions "
            "and --comparing each draw examples of their own, of one site"
        )
    if resolvers and (sites == 1 or right or rules):
        raise click.UsageError("--resolvers goes with --sites 2 or 3, and draws for search and judge alone")
    if dispatchers and (sites != BOTH_SITES or resolvers or right or rules):
        raise click.UsageError("--dispatchers goes with --sites 2 alone, and draws for search and judge")
    if (durable or tombstones or transactions or actions or comparing) and (right or rules):
        raise click.UsageError(
            "--durable, --tombstones, --transactions, --actions and --comparing draw examples "
            "for search and judge alone"
        )
    if (right or held) and rules:
        raise click.UsageError(
            "Ask either the search (--right, --held) or the rules (--rules) of right runs."
        )
    last, reading = seed + cases, Dialect(dialect)
    if rules:
        some = _tracked([range(first, min(first + TOGETHER, last)) for first in range(seed, last, TOGETHER)])
        asked = (
            hear(seeds, sites, reading, clients=clients, policies=policies, buckets=buckets) for seeds in some
        )
        heard, stopped = until_stopped(asked, lambda one: _at_once(map(_accused, one.accusations), as_json))
        _tell_of_accusations(heard, stopped, as_json=as_json)
    seeds = _tracked(range(seed, last))
    if right or held:
        asking = _asking(sites, reading, held=held, clients=clients, policies=policies, buckets=buckets)
        right_runs, stopped = until_stopped(
            map(asking, seeds),
            lambda one: _at_once([f"refuted: seed {one.seed}"] * (one.answer is Answer.REFUTED), as_json),
        )
        _tell_of_right_runs(right_runs, stopped, as_json=as_json)
    comparisons = (
        compare(
            draw_trial(
                each,
                sites,
                reading,
                clients=clients,
                durable=durable,
                policies=policies,
                tombstones=tombstones,
                buckets=buckets,
                resolvers=resolvers,
                dispatchers=dispatchers,
                transactions=transactions,
                actions=actions,
                comparing=comparing,
            )
        )
        for each in seeds
    )
    found, stopped = until_stopped(
        comparisons, lambda one: _at_once([f"disagreement: {_differing(one)}"] * one.disagree, as_json)
    )
    wrong = [comparison for comparison in found if comparison.disagree]
    if as_json:
        show(_document(found, wrong), compact=True)
    else:
        _tell(Console(), found, wrong)
    end(stopped, 1 if wrong else 0)


def _at_once(lines: Iterable[str], as_json: bool) -> None:
    """Print what was found as soon as it is; a document tells it at the end."""
    if not as_json:
        for line in lines:
            Console().print(line, markup=False, highlight=False, soft_wrap=True)


def _accused(accusation: Accusation) -> str:
    return f"accusation: {accusation.requirement} at seed {accusation.seed}: {accusation.witness}"


def _differing(comparison: Comparison) -> str:
    """One trial on which search and judge say different things."""
    spoilt = comparison.corruption or "not spoilt"
    book = f", by {comparison.rulebook}" if comparison.rulebook else ""
    said = f"search {comparison.answer}, judge {comparison.judged}"
    if comparison.broken_run:
        said += f"; {comparison.broken_run}"
    return f"seed {comparison.seed} ({spoilt}{book}): {said}"


def _asking(sites: int, reading: Dialect, *, held: bool, **kinds: bool) -> Callable[[int], Asked]:
    """What asks the search about the right run of a seed."""
    if not held:
        return lambda seed: ask_about(seed, sites, reading, **kinds)
    if sites > 1 or any(kinds.values()):
        raise click.UsageError("--held draws runs of two sites of its own, and goes with --cases and --seed")
    return lambda seed: ask_about_held(seed, reading)


def _tracked(what: Sequence[_T]) -> Iterable[_T]:
    return tracked(Console(stderr=True), "trials", what, len(what), "done")


def _play_machines(
    machines: tuple[str, ...], candidates: tuple[str, ...], cases: int, seed: int, *, as_json: bool
) -> NoReturn:
    with patiently() as part:
        asked = (
            play_drawn(machine, candidate, cases, seed, part(f"{machine} on {candidate}"), checks_runs=True)
            for machine in machines
            for candidate in candidates
        )
        drawn, stopped = until_stopped(asked, lambda one: _at_once(_machine_words(one), as_json))
    if as_json:
        show(TrialsMachinesDocument(cases=cases, machines=tuple(drawn)), compact=True)
    end(stopped, 1 if any(one.refuted or one.broken_runs for one in drawn) else 0)


def _machine_words(one: Drawn) -> list[str]:
    """What came of one machine on one candidate, line by line."""
    first, last = one.seeds
    found = (
        f"{one.examples} different examples, {len(one.refuted)} refuted, {len(one.unknown)} not decided, "
        f"{len(one.broken_runs)} explained by a run that is none of the model's"
    )
    all_took = f"{one.most_states} and {one.longest:.2f} s"
    told = [
        f"{one.machine} on {one.candidate}, seeds {first} to {last}: {found}",
        f"  99 of 100 took the search up to {one.states} states and {one.seconds:.2f} s, all {all_took}",
    ]
    if one.unchecked_runs:
        told.append(f"  {one.unchecked_runs} runs took too many states to check")
    if one.idle:
        told.append(f"  {one.idle} more do not count, because their faults had no effect")
    of_each = ((Answer.REFUTED, one.refuted), (Answer.UNKNOWN, one.unknown), ("no run", one.broken_runs))
    for answer, which in of_each:
        told += [f"  {answer}: example {number}, drawn from seed {seed}" for seed, number in which]
    return told


def _tell_of_accusations(heard: list[Heard], stopped: KeyboardInterrupt | None, *, as_json: bool) -> NoReturn:
    runs = sum(one.runs for one in heard)
    judged = sorted(frozenset().union(*(one.judged for one in heard)))
    accusations = [accusation for one in heard for accusation in one.accusations]
    if as_json:
        told_of = TrialsRulesDocument(cases=runs, judged=tuple(judged), accusations=tuple(accusations))
        show(told_of, compact=True)
    else:
        told = [
            f"{runs} right runs; {len(judged)} rules could have accused one",
            f"accusations: {sum(one.violations for one in accusations)}",
            *(f"  {one.requirement}, first at seed {one.seed}: {one.witness}" for one in accusations),
        ]
        for line in told:
            Console().print(line, markup=False, highlight=False)
    end(stopped, 1 if accusations else 0)


def _tell_of_right_runs(asked: list[Asked], stopped: KeyboardInterrupt | None, *, as_json: bool) -> NoReturn:
    refuted = [one for one in asked if one.answer is Answer.REFUTED]
    unknown = [one for one in asked if one.answer is Answer.UNKNOWN]
    if as_json:
        undecided = tuple(unknown)
        show(TrialsRightDocument(cases=len(asked), refuted=tuple(refuted), unknown=undecided), compact=True)
    else:
        told = [
            f"{len(asked)} right runs; states visited {sum(one.states for one in asked)}",
            f"not decided: {len(unknown)} ({len(unknown) / max(1, len(asked)):.1%})",
            f"refuted: {len(refuted)}",
            *(f"  seed {one.seed}" for one in refuted),
        ]
        for line in told:
            Console().print(line, markup=False, highlight=False)
    end(stopped, 1 if refuted else 0)


def _undecided(found: list[Comparison]) -> int:
    return sum(not comparison.decided for comparison in found)


def _document(found: list[Comparison], wrong: list[Comparison]) -> TrialsDocument:
    return TrialsDocument(
        cases=len(found),
        undecided=_undecided(found),
        answers={name: dict(answers) for name, answers in counts(found).items()},
        disagreements=tuple(wrong),
    )


def _tell(console: Console, found: list[Comparison], wrong: list[Comparison]) -> None:
    table = Table("spoilt", *Answer, "trials")
    for corruption, answers in sorted(counts(found).items()):
        row = [str(answers[answer]) for answer in Answer]
        table.add_row(corruption or "not at all", *row, str(answers.total()))
    console.print(table)
    states = sum(comparison.states for comparison in found)
    judge_states = sum(comparison.judge_states for comparison in found)
    share = f"{_undecided(found) / max(1, len(found)):.1%}"
    told = [
        f"{len(found)} trials; states visited by the search {states}, by the judge {judge_states}",
        f"not decided by one of them: {_undecided(found)} ({share})",
        f"disagreements: {len(wrong)}",
    ]
    told += [f"  {_differing(comparison)}" for comparison in wrong]
    for line in told:
        console.print(line, markup=False, highlight=False)
