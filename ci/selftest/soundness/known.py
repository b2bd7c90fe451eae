"""Every weakening by its name, which says in words what is wrong then."""

from __future__ import annotations

from collections.abc import Mapping

from plumbline.ci.selftest.soundness.buckets import BUCKETS
from plumbline.ci.selftest.soundness.clients import CLIENTS
from plumbline.ci.selftest.soundness.members import MEMBERS
from plumbline.ci.selftest.soundness.queues import QUEUES
from plumbline.ci.selftest.soundness.reductions import REDUCTIONS
from plumbline.ci.selftest.soundness.search import SEARCH
from plumbline.ci.selftest.soundness.transactions import TRANSACTIONS
from plumbline.ci.selftest.soundness.weakening import DroppedCondition, Weakening

TABLES: tuple[Mapping[str, Weakening | DroppedCondition], ...] = (
    *(MEMBERS, SEARCH, CLIENTS, QUEUES, BUCKETS, TRANSACTIONS),
    REDUCTIONS,
)

WEAKENINGS: dict[str, Weakening | DroppedCondition] = {
    name: weakening for table in TABLES for name, weakening in table.items()
}
"""All of them; no two have one name."""
