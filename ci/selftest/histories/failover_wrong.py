"""Samples of clients that lose their server, which each break one requirement, at times others with it."""

from __future__ import annotations

from plumbline.ci.selftest.histories.client_right import (
    MEMBERS,
    SECURED,
    TWICE,
    UNSECURED,
    WITHOUT_B,
    told,
    untold,
)
from plumbline.ci.selftest.histories.history_builder import HistoryBuilder, Sample
from plumbline.reference.history.operations import Client

_TO_K = f"{MEMBERS} K"


def _failovers() -> dict[str, Sample]:
    """What follows the loss of a client's server."""

    def looked(clients: tuple[Client, ...], policy: str | None = None) -> HistoryBuilder:
        t = untold(clients).put("A", "x", MEMBERS).put("A", "y", MEMBERS).settle()
        return t.register("K", "x", policy).put("A", "x", _TO_K).settle().read(K={"x": "v3"})

    def anew(*, values: bool = True) -> HistoryBuilder:
        t = untold(UNSECURED).register("K", "x", values=values).fault("crash", "B")
        return t.settle()

    return {
        "stays cut off though it has a secondary": told(SECURED)
        .fault("crash", "B")
        .settle()
        .put("A", "x", WITHOUT_B)
        .settle()
        .sample("FO-AUTO-01 FO-HA-01 INT-REG-01"),
        "stays cut off": anew().put("A", "x", WITHOUT_B).settle().read(K={}).sample("FO-AUTO-01 FO-NONHA-09"),
        "secondary has queued nothing": told(SECURED)
        .put("A", "x", MEMBERS)
        .fault("crash", "B")
        .settle()
        .sample("FO-HA-01 FO-HA-02 FO-HA-05 INT-REG-01"),
        "secondary has lost the first": told(SECURED)
        .put("A", "x", MEMBERS)
        .put("A", "y", MEMBERS)
        .fault("crash", "B")
        .shown(2, "K")
        .put("C", "z", f"{WITHOUT_B} K")
        .settle()
        .sample("FO-HA-01 FO-HA-05 INT-REG-01"),
        "second failure loses": told(TWICE)
        .put("A", "x", MEMBERS)
        .fault("crash", "B")
        .fault("crash", "C")
        .settle()
        .sample("FO-HA-01 FO-HA-02 FO-HA-05 FO-HA-07 INT-REG-01"),
        "second failure repeats": told(TWICE)
        .put("A", "x")
        .fault("crash", "C")
        .fault("crash", "B")
        .shown(1, "K")
        .settle()
        .sample("FO-HA-01 FO-HA-03 FO-HA-07 TRK-DUP-01"),
        "starts anew though it has a secondary": looked(SECURED, "none")
        .fault("crash", "B")
        .settle()
        .read(K={})
        .sample("FO-NONHA-01"),
        "becomes invalid at a failover": looked(SECURED)
        .fault("crash", "B")
        .settle()
        .read(K={"x": None})
        .sample("FO-NONHA-01"),
        "keeps the key of what it should drop": looked(UNSECURED, "none")
        .fault("crash", "B")
        .settle()
        .read(K={"x": None})
        .sample("FO-NONHA-03"),
        "fetches nothing": looked(UNSECURED).fault("crash", "B").settle().read(K={}).sample("FO-NONHA-03"),
        "told of what it fetches": looked(UNSECURED)
        .fault("crash", "B")
        .shown(3, "K")
        .settle()
        .read(K={"x": "v3"})
        .sample("FO-NONHA-06 TRK-DUP-01"),
        "told for the first time of what it fetches": untold(UNSECURED)
        .put("A", "x", MEMBERS)
        .settle()
        .register("K", "x")
        .fault("crash", "B")
        .shown(1, "K")
        .settle()
        .read(K={"x": "v1"})
        .sample("FO-NONHA-06"),
        "registration comes back with values": anew(values=False)
        .put("A", "x", f"{WITHOUT_B} K")
        .settle()
        .read(K={"x": "v1"})
        .sample("FO-NONHA-09"),
    }


WRONG: dict[str, Sample] = _failovers()
"""By name, samples with the requirements that they violate."""
