"""Which cases of a long list every change is tested with; `--thorough` has all of them tested.

Knows nothing of what a case is.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pytest


def one_in(turns: int, cases: Iterable[Any]) -> list[Any]:
    """The cases as parameters of a test: one in so many as it is, the others marked as thorough.

    The first is tested always, then every `turns`-th after it.
    """
    return [case if at % turns == 0 else further(case) for at, case in enumerate(cases)]


def further(case: Any) -> Any:
    """One case that only `--thorough` tests: a single value, or a plain tuple of several."""
    values = case if type(case) is tuple else (case,)
    return pytest.param(*values, marks=pytest.mark.thorough)
