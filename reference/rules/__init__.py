"""The rules: one SQL text per requirement, what they may be written in, and judging traces by them."""
