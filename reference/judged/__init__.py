"""What many runs say together, as tables: verdicts, intervals, failures, latencies ([judged](judged.md))."""
