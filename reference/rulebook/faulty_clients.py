"""Faulty variants of what clients call, and of what their servers make of it.

Knows nothing of how they are found out.
"""

from __future__ import annotations

from plumbline.reference.catalogue.records import Dialect
from plumbline.reference.operations import OperationKind
from plumbline.reference.rulebook.variant import variant

CLIENTS = (
    variant(
        "no-room-for-versions",
        "CFG-CHECKS-05",
        "a client that does not check fails on what comes with a version",
        client_takes=lambda checks, versioned: checks or not versioned,
    ),
    variant(
        "all-or-none-check",
        "CFG-CHECKS-05",
        "a server that checks refuses the operations of a client that does not",
        serves_client=lambda checks, server_checks: checks or not server_checks,
    ),
    variant(
        "updates-stay-at-client",
        "C2S-OPS-01",
        "updates of a key that the client holds stay there",
        forwards_updates=lambda held: not held,
    ),
    variant(
        "destroys-stay-at-client",
        "C2S-OPS-02",
        "a client destroys what it holds in its own copy only",
        forwards_destroy_of_held=lambda: False,
    ),
    variant(
        "unknown-is-nowhere",
        "C2S-OPS-03",
        "a client answers from its own copy that there is nothing to destroy",
        forwards_destroy_of_absent=lambda: False,
    ),
    variant(
        "asks-its-writer-last",
        "C2S-PIPE-01",
        "a client asks its cache writer when its server has already answered",
        writer_runs_first=lambda: False,
    ),
    variant(
        "changes-itself-first",
        "C2S-PIPE-01",
        "a client changes its own copy before its server has replied",
        client_applies_first=lambda: True,
    ),
    variant(
        "destroys-against-its-writer",
        "C2S-ABORT-01",
        "a client's destroy goes on although its cache writer has refused it",
        client_writer_aborts=lambda kind: kind is not OperationKind.DESTROY,
    ),
    variant(
        "applies-against-its-writer",
        "C2S-ABORT-02",
        "a server carries out what its cache writer has refused",
        server_writer_aborts=lambda kind: False,  # noqa: ARG005
    ),
    variant(
        "keeps-what-was-vetoed",
        "C2S-ABORT-02",
        "the calling client keeps in its own copy what its server's cache writer has refused",
        keeps_vetoed=lambda: True,
    ),
    variant(
        "clears-what-it-holds",
        "C2S-OPS-05",
        "a client's clear removes from its server what the client holds",
        cleared_at_server=lambda keys, held: tuple(key for key in keys if key in held),
    ),
    variant(
        "forwards-invalidations",
        "C2S-OPS-06 C2S-OPS-07",
        "a client's invalidations go to its server",
        dialect=Dialect.GEMFIRE6,
        forwards_invalidates=lambda: True,
    ),
    variant(
        "keeps-invalidations",
        "CONS-CL-02",
        "a client changes its own copy without asking its server, and sends nothing afterwards",
        forwards_invalidates=lambda: False,
    ),
    variant(
        "forwards-local",
        "C2S-LOCAL-01",
        "a client's local operations go to its server",
        forwards_local=lambda: True,
    ),
    variant(
        "destroys-its-own-region-only",
        "C2S-OPS-04",
        "a client's destroy of its region leaves that of its servers alone",
        forwards_region_destroy=lambda: False,
    ),
    variant(
        "forwards-local-region-destroy",
        "C2S-OPS-04",
        "a client's local destroy of its region destroys that of its servers",
        forwards_local_region_destroy=lambda: True,
    ),
)
