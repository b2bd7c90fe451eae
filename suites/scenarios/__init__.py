"""Scenarios: short deterministic examples whose outcome is written out literally, from the documents."""
