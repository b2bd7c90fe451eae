"""`python3 ci main` in a clone sets up what is missing; `python -m plumbline.ci` is the `plumbline` command."""

from importlib import import_module

if __name__ == "__main__":
    # Run as a folder this is part of no package, and nothing is installed yet.
    import_module("plumbline.ci.command" if __package__ else "set_up").main()
