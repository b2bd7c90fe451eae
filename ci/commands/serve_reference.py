"""`plumbline serve-reference`: the reference as a process that speaks the adapter protocol.

Knows the command line only; what is served is the candidate of the same name.
"""

from __future__ import annotations

from contextlib import suppress

import click

from plumbline.adapters.candidates import find_candidate
from plumbline.adapters.process.server import serve_stdio
from plumbline.adapters.process.tcp_server import HOST, TcpServer


@click.command("serve-reference")
@click.option("--faulty", metavar="NAME", help="Serve a faulty variant (see `plumbline faulty list`).")
@click.option("--chaotic", is_flag=True, help="Take steps in every order that the documents allow.")
@click.option("--seed", type=int, default=0, show_default=True, help="Seed of a chaotic reference.")
@click.option(
    "--port",
    type=click.IntRange(0, 65_535),
    help="Serve on this TCP port of this machine, one session after the other; any free port if 0.",
)
def command(faulty: str | None, chaotic: bool, seed: int, port: int | None) -> None:
    """Speak the adapter protocol on standard input and output with the reference behind it.

    Other output goes to the error stream. Ends with a `close` or the end of the input; with --port, when it
    is interrupted. An example for those who write an adapter, and a way to try one's harness:
    plumbline run --candidate 'process:plumbline serve-reference'
    """
    if faulty is not None and chaotic:
        raise click.UsageError("--faulty and --chaotic exclude each other: a faulty variant is calm.")
    calm_or_not = "reference:chaotic" if chaotic else "reference"
    name = calm_or_not if faulty is None else f"faulty:{faulty}"
    candidate = find_candidate(name, seed=seed)
    if port is None:
        serve_stdio(candidate.open)
        return
    try:
        server = TcpServer(candidate.open, port)
    except OSError as error:
        raise click.ClickException(f"cannot listen on port {port}: {error.strerror}") from None
    with server, suppress(KeyboardInterrupt):
        click.echo(
            f"serving {name} at {HOST}:{server.port}; plumbline run --candidate tcp:{HOST}:{server.port}"
        )
        server.serve_forever()
