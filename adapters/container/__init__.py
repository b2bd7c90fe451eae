"""Candidates in containers: images that speak the adapter protocol, run by a Docker engine."""
