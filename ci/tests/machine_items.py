"""The items of state machines, for tests that play one by itself.

Their module is loaded without being registered. pytest imports it as `suites.test_machines`.
A second name would stop the whole test run. Knows nothing of machines.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path

from plumbline import suites


def machine_item() -> Callable[..., None]:
    """The function behind the items. It takes a machine, a candidate, a session and a configuration."""
    spec = spec_from_file_location("machine_items", Path(suites.__path__[0]) / "test_machines.py")
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    item: Callable[..., None] = module.test_machine
    return item
