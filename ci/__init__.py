"""What is run: the `plumbline` command and its subcommands, the main job, lint and set-up.

May import every other room; none imports this one.
"""
