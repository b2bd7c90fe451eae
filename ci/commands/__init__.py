"""The subcommands of `plumbline`, a module each.

A module knows its command line and what is printed; what is done happens in other rooms. None is imported by
`plumbline.ci.command` before it is called. `faulty_mutate` is a subcommand of `faulty`.
"""
