"""The search compared with its judge, trial by trial.

The judge looks at every run of the model; the search believes claims that spare it most of them. Where both
decide, they must agree. Knows nothing of how trials are drawn.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

import msgspec

from plumbline.ci.selftest.generators.random_trials import Trial, named_book
from plumbline.reference.explain.certificates import checked
from plumbline.reference.explain.question import ask
from plumbline.reference.history.history import History
from plumbline.reference.search.exhaustive import judge
from plumbline.reference.search.search import Answer, Budget, Explanation, explain

SEARCH_BUDGET = Budget(states=20_000)
JUDGE_BUDGET = Budget(states=60_000)


class Comparison(msgspec.Struct, frozen=True, kw_only=True):
    """What both said of one trial.

    Attributes:
        seed: of the trial.
        corruption: how it was spoilt, "" if it was not.
        rulebook: what it was judged by, "" for what the documents say.
        answer: of the search.
        judged: of the judge; unknown where the search gave up, for then there is nothing to agree with.
        states: visited by the search.
        judge_states: visited by the judge; 0 where it was not asked.
        broken_run: why the run found is none of the model's, if a run was found and is none.
    """

    seed: int
    corruption: str
    rulebook: str
    answer: Answer
    judged: Answer
    states: int
    judge_states: int
    broken_run: str = ""

    @property
    def decided(self) -> bool:
        """Whether neither gave up."""
        return Answer.UNKNOWN not in (self.answer, self.judged)

    @property
    def disagree(self) -> bool:
        """Whether one says that the history is possible and the other that it is not.

        A run that the model alone cannot take contradicts the search, too.
        """
        return bool(self.broken_run) or (self.decided and self.answer is not self.judged)


def searched(history: History, rulebook: str) -> Answer:
    """What the search alone says of a history, by the rulebook of this name."""
    book = named_book(rulebook)
    question = ask(history, book)
    return explain(question.system, question.logs, SEARCH_BUDGET, book.replaced()).answer


def compare(trial: Trial, judge_budget: Budget = JUDGE_BUDGET) -> Comparison:
    """Ask the search, and the judge where the search has decided; check the run that the search has found."""
    book = named_book(trial.rulebook)
    question = ask(trial.history, book)
    found = explain(question.system, question.logs, SEARCH_BUDGET, book.replaced())
    # A history that the search leaves open takes the judge longest, and no answer of the judge could
    # disagree.
    gave_up = found.answer is Answer.UNKNOWN
    judged = (
        Explanation(Answer.UNKNOWN, 0) if gave_up else judge(question.system, question.logs, judge_budget)
    )
    return Comparison(
        seed=trial.seed,
        corruption=trial.corruption,
        rulebook=trial.rulebook,
        answer=found.answer,
        judged=judged.answer,
        states=found.states,
        judge_states=judged.states,
        broken_run=checked(question, found).words if found.answer is Answer.EXPLAINED else "",
    )


def counts(comparisons: Iterable[Comparison]) -> dict[str, Counter[Answer]]:
    """For each corruption ("" for none) how often the search gave which answer."""
    found: dict[str, Counter[Answer]] = {}
    for comparison in comparisons:
        found.setdefault(comparison.corruption, Counter())[comparison.answer] += 1
    return found
