"""Runs from the logs of systems at work ([recording](recording.md))."""
