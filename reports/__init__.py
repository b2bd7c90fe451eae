"""Reports: the HTML site, what is shown on a terminal, JUnit; functions of verdicts and counterexamples."""
