"""A run: scenarios, machines and rules on one candidate, from plans to verdicts and kept counterexamples."""
