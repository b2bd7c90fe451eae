"""The subcommands of `plumbline`, a module each.

A module knows its command line and what is printed; the work happens in other rooms. None is imported by
`plumbline.ci.command` before it is called. Those that test Plumbline itself lie in `ci/selftest/commands`.
"""
