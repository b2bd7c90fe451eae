"""The search for a run of a transition system that shows exactly what was observed. Knows no system.

    Logs(entries, clock=..., windows=...)     what was observed: for each place its entries, in order
    class MySystem(System):                   the system: `initial`, and from each state the `steps`
        Step(name, state, shows, claim)       one transition: where it leads, which entries it shows
    explain(system, logs, budget)             searches, and takes a step with a believed claim alone
    judge(system, logs, budget)               the same exhaustively: it believes no claim
    Explanation(answer, states, path, ...)    explained, refuted, or unknown beyond the budget

`register.py` is a whole example: a register, which makes the search a checker of linearizability.
The order of steps comes from `ordering.py`. States share their structure by `hashed_map.py`.
"""

from plumbline.reference.search.exhaustive import judge
from plumbline.reference.search.search import Answer, Budget, Explanation, Search, explain
from plumbline.reference.search.transition import Claim, Logs, Step, System, View

__all__ = [
    "Answer",
    "Budget",
    "Claim",
    "Explanation",
    "Logs",
    "Search",
    "Step",
    "System",
    "View",
    "explain",
    "judge",
]
