"""Subcommands of `plumbline` that show how Plumbline tests itself; only a clone has them."""
