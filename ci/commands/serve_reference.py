"""`plumbline serve-reference`: the reference as a process that speaks the adapter protocol.

Knows the command line only; what is served is the candidate of the same name.
"""

from __future__ import annotations

import click

from plumbline.adapters.candidates import find_candidate
from plumbline.adapters.process.server import serve_stdio


@click.command("serve-reference")
@click.option("--faulty", metavar="NAME", help="Serve a faulty variant (see `plumbline faulty list`).")
@click.option("--chaotic", is_flag=True, help="Take steps in every order that the documents allow.")
@click.option("--seed", type=int, default=0, show_default=True, help="Seed of a chaotic reference.")
def command(faulty: str | None, chaotic: bool, seed: int) -> None:
    """Speak the adapter protocol on standard input and output with the reference behind it.

    Other output goes to the error stream. Ends with a `close` or the end of the input.
    An example for those who write an adapter, and a way to try one's harness:
    plumbline run --candidate 'process:plumbline serve-reference'
    """
    if faulty is not None and chaotic:
        raise click.UsageError("--faulty and --chaotic exclude each other: a faulty variant is calm.")
    calm_or_not = "reference:chaotic" if chaotic else "reference"
    name = calm_or_not if faulty is None else f"faulty:{faulty}"
    serve_stdio(find_candidate(name, seed=seed).open)
