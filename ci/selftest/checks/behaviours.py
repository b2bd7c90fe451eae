"""Every right but unusual behaviour by name: candidates of which the suite may accuse none.

To add one, put a `Behaviour` into the module of its subject, which is listed here.
"""

from __future__ import annotations

from plumbline.ci.selftest.checks import (
    behaviours_of_clients,
    behaviours_of_logs,
    behaviours_of_members,
    behaviours_of_sites,
)
from plumbline.ci.selftest.checks.behaviour import by_name

BEHAVIOURS = by_name(
    (
        *behaviours_of_members.BEHAVIOURS,
        *behaviours_of_clients.BEHAVIOURS,
        *behaviours_of_logs.BEHAVIOURS,
        *behaviours_of_sites.BEHAVIOURS,
    )
)
"""Every behaviour by name."""
