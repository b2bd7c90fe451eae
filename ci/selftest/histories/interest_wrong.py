"""Samples of clients' registrations that each break one requirement, and at times others with it."""

from __future__ import annotations

from plumbline.ci.selftest.histories.client_right import (
    MEMBERS,
    lesser,
    untold,
)
from plumbline.ci.selftest.histories.history_builder import HistoryBuilder, Sample

_TO_K = f"{MEMBERS} K"


def _registrations() -> dict[str, Sample]:
    """What a registration drops, loads and brings about."""

    def two_there() -> HistoryBuilder:
        return untold().put("A", "x", MEMBERS).put("A", "y", MEMBERS).settle()

    announced = two_there()
    at = announced.moments
    announced.register("K", "x").shown(1, "K", after=at)
    at_server = two_there()
    at = at_server.moments
    at_server.register("L", "y", "none").shown(2, "C", after=at, kind="destroy")
    lacking = lesser().put("B", "x", MEMBERS).put("A", "y", "A C D").settle()
    keys = lesser().put("A", "y", "A C D").put("C", "z", "A C D").settle()
    return {
        "what others hold is loaded": lacking.register("K")
        .read(K={"x": "v1", "y": "v2"}, L={})
        .sample("INT-BULK-03"),
        "keys that others hold are loaded": keys.register("K", "y", "keys")
        .read(K={"y": None}, L={})
        .sample("INT-BULK-03"),
        "keys are left out": two_there()
        .register("K")
        .read(K={"x": "v1"}, L={})
        .sample("INT-BULK-01 INT-POLICY-02"),
        "nothing is loaded": two_there()
        .register("L", "x.*", "keys", kind="regex")
        .read(K={}, L={})
        .sample("INT-BULK-01 INT-POLICY-01"),
        "keys come with values": two_there()
        .register("K", "x", "keys")
        .read(K={"x": "v1"}, L={})
        .sample("INT-POLICY-01"),
        "key of an older time": two_there()
        .do("destroy", "A", "x", MEMBERS)
        .settle()
        .register("K", "x", "keys")
        .read(K={"x": None}, L={})
        .sample("INT-CLEAR-01 INT-POLICY-01"),
        "values are left out": two_there()
        .register("K")
        .read(K={"x": None, "y": None}, L={})
        .sample("INT-POLICY-02"),
        "another value is loaded": two_there()
        .register("L", "x")
        .read(K={}, L={"x": "v2"})
        .sample("INT-POLICY-02"),
        "loaded all the same": two_there()
        .register("K", "x", "none")
        .read(K={"x": "v1"}, L={})
        .sample("INT-CLEAR-01 INT-POLICY-04"),
        "keys loaded all the same": two_there()
        .register("K", "x|y", "none", kind="regex")
        .read(K={"x": None}, L={})
        .sample("INT-CLEAR-02 INT-POLICY-04"),
        "destroyed key is kept": two_there()
        .register("K", "x")
        .read(K={"x": "v1"}, L={})
        .register("K", "x", register=False)
        .do("destroy", "A", "x", MEMBERS)
        .settle()
        .register("K", "x")
        .read(K={"x": "v1"}, L={})
        .sample("INT-CLEAR-01 INT-POLICY-02"),
        "other key is dropped": two_there()
        .register("K", "x")
        .read(K={"x": "v1"}, L={})
        .register("K", "y")
        .read(K={"y": "v2"}, L={})
        .sample("INT-CLEAR-01"),
        "destroyed key is kept for an expression": two_there()
        .register("K")
        .read(K={"x": "v1", "y": "v2"}, L={})
        .register("K", register=False)
        .do("destroy", "A", "x", MEMBERS)
        .settle()
        .register("K", "x.*", kind="regex")
        .read(K={"x": "v1"}, L={})
        .sample("INT-CLEAR-02 INT-POLICY-02"),
        "dropped at the server": two_there()
        .register("K", "x", "none")
        .read(B={"y": "v2"}, K={}, L={})
        .sample("INT-CLEAR-03"),
        "dropped at all members": two_there()
        .register("L", "x y", "none")
        .read(A={}, B={}, C={}, D={}, K={}, L={})
        .sample("INT-CLEAR-03"),
        "load is announced": announced.settle().read(K={"x": "v1"}, L={}).sample("INT-NOEVT-01"),
        "server's listener is told of a drop": at_server.settle()
        .read(C={"x": "v1", "y": "v2"}, K={}, L={})
        .sample("DISC-LSN-01 INT-NOEVT-01"),
    }


def _interests() -> dict[str, Sample]:
    """What registrations cover."""
    return {
        "first change behind a registration is missing": untold()
        .register("K", "x", "none")
        .put("A", "x", MEMBERS)
        .settle()
        .put("A", "x", _TO_K)
        .settle()
        .sample("INT-REG-01 INT-REG-02 S2C-OPS-07 S2C-RECV-01 TRK-ONCE-01"),
        "interest ends with the entry": untold()
        .register("L", "x")
        .put("A", "x", f"{MEMBERS} L")
        .do("destroy", "A", "x", f"{MEMBERS} L")
        .put("A", "x", MEMBERS)
        .settle()
        .sample("INT-REG-02 S2C-OPS-07 S2C-RECV-01 TRK-ONCE-01"),
        "later registration counts alone": untold()
        .register("K", "x")
        .register("K", "y")
        .put("A", "y", _TO_K)
        .put("A", "x", MEMBERS)
        .settle()
        .sample("INT-REG-01 INT-REG-02 INT-UNION-01 S2C-OPS-07 S2C-RECV-01 TRK-ONCE-01"),
        "all are withdrawn": untold()
        .register("K", "x")
        .register("K")
        .register("K", "x", register=False)
        .put("A", "x", MEMBERS)
        .settle()
        .sample("INT-REG-01 INT-REG-02 INT-UNION-01 S2C-OPS-07 S2C-RECV-01 TRK-ONCE-01"),
        "told for each registration": untold()
        .register("K", "x")
        .register("K")
        .put("A", "x", _TO_K)
        .shown(1, "K")
        .settle()
        .sample("INT-UNION-02 TRK-ONCE-01"),
        "destroy told for each registration": untold()
        .register("L", "x|y", kind="regex")
        .register("L", "x")
        .put("A", "x", f"{MEMBERS} L")
        .do("destroy", "A", "x", f"{MEMBERS} L")
        .shown(2, "L")
        .settle()
        .sample("INT-UNION-02"),
        "expression is a file name": untold()
        .register("K", "B.*", kind="regex")
        .put("A", "B1", MEMBERS)
        .settle()
        .sample("INT-REG-01 INT-REG-02 INT-REGEX-01 S2C-OPS-07 S2C-RECV-01 TRK-ONCE-01"),
        "expression is found anywhere": untold()
        .register("K", "B", kind="regex")
        .put("A", "AB", _TO_K)
        .settle()
        .sample("INT-REGEX-01 S2C-INT-01"),
    }


WRONG: dict[str, Sample] = {**_registrations(), **_interests()}
"""By name, samples with the requirements that they violate."""
