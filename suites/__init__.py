"""What is run against a candidate: scenarios, state machines, and the harness that drives and judges them."""
