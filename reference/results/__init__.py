"""Results: verdicts on requirements, run directories, known deviations, and what a gate makes of them."""
