"""An entry that expires on Apache Geode is dealt with once all others have it, not once it is gone."""

from __future__ import annotations

from typing import Any
from unittest.mock import MagicMock

import msgspec
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


@pytest.mark.parametrize(
    ("kind", "sets"),
    [
        (OperationKind.EXPIRE_INVALIDATE, "setCustomEntryTimeToLive"),
        (OperationKind.IDLE_INVALIDATE, "setCustomEntryIdleTimeout"),
        (OperationKind.EXPIRE_INVALIDATE_REGION, "setRegionTimeToLive"),
    ],
)
def test_each_kind_sets_a_time_of_its_own_and_takes_it_back(
    monkeypatch: pytest.MonkeyPatch, kind: OperationKind, sets: str
):
    monkeypatch.setattr(expiration, "any_at", lambda *_: False)
    region = MagicMock()
    region.containsValueForKey.return_value = False
    region.keySet.return_value.toArray.return_value = ["x"]
    operation = msgspec.structs.replace(EXPIRES, kind=kind)
    assert expiration.expire(region, MagicMock(), operation).status is Status.OK
    called = [name for name, *_ in region.getAttributesMutator.return_value.method_calls]
    assert called == [sets, sets]
