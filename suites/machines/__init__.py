"""State machines: Hypothesis draws a plan, the plan is carried out when it is complete, the search judges it.

A module for what the machines in it are about; `registry` has all by name, `drawing` what they share. They
know nothing of the candidate but what it offers.
"""
