"""Decisions about clients and the servers they are connected to (document 004).

Each function answers one question about plain values. None knows the model's state.
"""

from __future__ import annotations


def serves_client(checks: bool, server_checks: bool) -> bool:  # noqa: ARG001
    """Whether a server carries out what a client calls: also where only one of them checks (L39, L47)."""
    return True


def client_takes(checks: bool, versioned: bool) -> bool:  # noqa: ARG001
    """Whether a client takes what its server sends: with a version, too, where it does not check (L47)."""
    return True
