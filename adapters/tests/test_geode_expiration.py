"""An entry that expires on Apache Geode is dealt with once all others have it, not once it is gone."""

from __future__ import annotations

from typing import Any
from unittest.mock import MagicMock

import pytest

from plumbline.adapters.geode import expiration
from plumbline.reference.history.operations import Operation, OperationKind, Status

EXPIRES = Operation(
    op_id=1, thread="A-1", member="A", region="r", kind=OperationKind.EXPIRE_DESTROY, key="x", token=None
)


def gone_at_once() -> Any:
    region = MagicMock()
    region.containsKey.return_value = False
    return region


def test_it_waits_until_the_timer_has_told_all_others(monkeypatch: pytest.MonkeyPatch):
    telling = [True, True, False]
    monkeypatch.setattr(expiration, "any_at", lambda *_: telling.pop(0))
    assert expiration.expire(gone_at_once(), MagicMock(), EXPIRES).status is Status.OK
    assert telling == []


def test_nobody_knows_how_it_ended_where_others_are_never_told(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(expiration, "LIMIT_S", 0.02)
    monkeypatch.setattr(expiration, "any_at", lambda *_: True)
    assert expiration.expire(gone_at_once(), MagicMock(), EXPIRES).status is Status.INDEFINITE
