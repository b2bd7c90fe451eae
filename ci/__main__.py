"""The way in: `python3 ci main` in a clone; as `python -m plumbline.ci`, the command `plumbline`."""

from importlib import import_module

if __name__ == "__main__":
    # Run as a folder this is part of no package, and nothing is installed yet.
    import_module("plumbline.ci.command" if __package__ else "set_up").main()
