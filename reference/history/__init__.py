"""History: what can be asked of a system, what was asked in an example, and what was observed."""
