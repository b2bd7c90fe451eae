"""How the suite's items are spread over the processes of pytest-xdist.

Scenarios and machines go wherever there is room; the requirement items of a candidate, which need what all
the others found, stay together and come last. Knows xdist's scheduler and the names of items.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from typing import Any

SUITE = re.compile(r"test_(machines|scenarios|requirements)\.py::")
"""The modules whose items are about a candidate, in an item's name."""

JUDGING = "requirements of "


def scope_of(nodeid: str, candidates: Collection[str]) -> str:
    """What an item has to stay together with; "" where it is none of the suite."""
    module = SUITE.search(nodeid)
    if module is None:
        return ""
    marks = {f"[{name.encode('unicode_escape').decode()}-": name for name in candidates}
    found = [name for mark, name in marks.items() if mark in nodeid]
    if not found:
        return ""
    return f"{JUDGING}{max(found, key=len)}" if module[1] == "requirements" else nodeid


def scheduler(config: Any, log: Any, candidates: Collection[str]) -> Any:
    """Xdist's scheduler of groups, with the suite's items spread."""
    # Imported here: xdist is not needed otherwise. Its own groups are not seen by every pytest.
    from xdist.scheduler import LoadGroupScheduling  # noqa: PLC0415

    class Spreading(LoadGroupScheduling):  # type: ignore[misc]
        def _split_scope(self, nodeid: str) -> str:
            return scope_of(nodeid, candidates) or super()._split_scope(nodeid)

        def _assign_work_unit(self, node: Any) -> None:
            others = next((one for one in self.workqueue if not one.startswith(JUDGING)), None)
            if others is not None:
                self.workqueue.move_to_end(others, last=False)
            super()._assign_work_unit(node)

    return Spreading(config, log)
