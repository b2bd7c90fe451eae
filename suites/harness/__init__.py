"""The harness: drives a candidate through its adapter and writes down what was observed."""
