"""Constants: what Hypothesis mixes into the values that it draws.

Hypothesis collects constants from the modules of the tree that are loaded. A plan would then depend on
where a clone lies and on what else was imported. Knows Hypothesis; knows nothing of machines.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

from hypothesis.internal.conjecture import providers


@contextlib.contextmanager
def without_local_constants() -> Iterator[None]:
    """Have Hypothesis draw without constants of loaded modules, so that a seed draws one plan everywhere.

    Hypothesis has no setting for it. Its cache is cleared before and after, so that other tests of the same
    process draw as they always do. A release that collects constants in another way keeps them.
    """
    collect = getattr(providers, "_get_local_constants", None)
    kind = getattr(providers, "Constants", None)
    if collect is None or kind is None:
        yield
        return
    none_at_all = kind()  # to collect them would parse every module of the tree
    providers.CONSTANTS_CACHE.cache.clear()
    providers._get_local_constants = lambda: none_at_all  # noqa: SLF001 - Hypothesis has no setting for it
    try:
        yield
    finally:
        providers._get_local_constants = collect  # noqa: SLF001
        providers.CONSTANTS_CACHE.cache.clear()
