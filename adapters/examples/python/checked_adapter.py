"""The third adapter: the mended store."""

from __future__ import annotations

from checked_store import CheckedStore
from gated_adapter import GatedAdapter

from plumbline.adapters.process.server import serve_stdio


class CheckedAdapter(GatedAdapter):
    """Nothing changes but what is driven."""

    def open_store(self, *, wait_for_answers: bool) -> CheckedStore:
        """The system under test, fresh."""
        return CheckedStore(self.members, self.told, wait_for_answers=wait_for_answers)


if __name__ == "__main__":
    serve_stdio(CheckedAdapter)
