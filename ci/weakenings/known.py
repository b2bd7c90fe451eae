"""Every weakening by its name, which says in words what is wrong then."""

from __future__ import annotations

from plumbline.ci.weakenings.buckets import BUCKETS
from plumbline.ci.weakenings.clients import CLIENTS
from plumbline.ci.weakenings.members import MEMBERS
from plumbline.ci.weakenings.queues import QUEUES
from plumbline.ci.weakenings.search import SEARCH
from plumbline.ci.weakenings.transactions import TRANSACTIONS
from plumbline.ci.weakenings.weakening import Weakening

TABLES = (MEMBERS, SEARCH, CLIENTS, QUEUES, BUCKETS, TRANSACTIONS)

WEAKENINGS: dict[str, Weakening] = {name: weakening for table in TABLES for name, weakening in table.items()}
"""All of them; no two have one name."""
