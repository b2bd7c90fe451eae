"""Print the text of docs/trace.md, or make readable what a killed run wrote.

python -m plumbline.reference.trace               print docs/trace.md
python -m plumbline.reference.trace recover DIR   turn the journals of the run DIR into trace files
"""

from __future__ import annotations

import sys
from pathlib import Path

from plumbline.reference.trace.files import TraceWriteError, recover
from plumbline.reference.trace.schema import markdown


def main(arguments: list[str]) -> int:
    """Do what the arguments say; 2 when they make no sense or nothing could be recovered."""
    match arguments:
        case []:
            sys.stdout.write(markdown())
            return 0
        case ["recover", directory]:
            try:
                recovered = recover(Path(directory))
            except (TraceWriteError, OSError) as error:
                sys.stderr.write(f"{error}\n")
                return 2
            for path in recovered:
                sys.stdout.write(f"recovered {path}\n")
            if not recovered:
                sys.stderr.write(f"{directory}: no journal of a killed run\n")
            return 0 if recovered else 2
        case _:
            sys.stderr.write(f"{__doc__}\n")
            return 2


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
