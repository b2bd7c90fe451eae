"""A right candidate whose keys share buckets: a primary that moves takes those of the other keys along."""

from __future__ import annotations

import pytest

from plumbline.adapters.candidates import Candidate, CandidateKind
from plumbline.adapters.reference.reference_adapter import ReferenceAdapter
from plumbline.reference.catalogue.capabilities import Capability
from plumbline.reference.results.verdicts import Verdict
from plumbline.suites.harness.session import Session
from plumbline.suites.run.playing import play
from plumbline.suites.scenarios.all_scenarios import SCENARIOS


class SharedBuckets(ReferenceAdapter):
    """The reference with one bucket for all keys that lie on the same members."""

    def move_primary(self, region: str, key: str, member: str) -> None:
        """Move the primaries of all keys that lie where this one does."""
        buckets = self._ready().world.buckets
        lies = buckets[region, key]
        for (name, other), bucket in tuple(buckets.items()):
            if bucket == lies:
                super().move_primary(name, other, member)


SHARED = Candidate(
    name="right:shared-buckets", kind=CandidateKind.PYTHON, in_process=True, open=SharedBuckets
)
MOVING = [name for name, one in SCENARIOS.items() if Capability.BUCKET_MOVES in one.needs]


@pytest.mark.parametrize("name", MOVING)
def test_keys_that_share_a_bucket_may_move_together(name: str):
    with Session(SHARED) as session:
        found = play(SCENARIOS[name], session, session.book, naming_ms=0)
    assert found.verdict is Verdict.PASS, found.reason
