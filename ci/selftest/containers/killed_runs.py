"""Kill runs at random moments, and look at what they leave in the engine once the next run has begun.

`python -m plumbline.ci.selftest.containers.killed_runs IMAGE 10` prints a line a kill, and ends with
exit code 1 where anything stays. Knows the command line, not how containers are made.
"""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator

import click
import msgspec

from plumbline.adapters.container.container_candidate import ImageCandidate
from plumbline.adapters.container.engine import Engine
from plumbline.adapters.container.image_name import image_name_of
from plumbline.adapters.container.owners import LABEL
from plumbline.adapters.waiting import wait_until

SERVES = (
    "import sys; sys.path.insert(0, '/adapter'); from checked_adapter import CheckedAdapter as A; "
    "from plumbline.adapters.process.tcp_server import TcpServer; "
    "server = TcpServer(A, 7000, host='0.0.0.0'); print('listening', file=sys.stderr, flush=True); "
    "server.serve_forever()"
)
"""What serves the example's adapter on port 7000."""

LATEST_S = 2.0
"""A kill comes so long after the first container at most."""

_BEGINS_S = 30.0


class KilledRun(msgspec.Struct, frozen=True, kw_only=True):
    """One killed run.

    Attributes:
        candidate: what it tested.
        after_s: seconds from its first container to the kill.
        left: how many containers and networks it left at once.
        stayed: what stayed of them when the next run had begun.
    """

    candidate: str
    after_s: float
    left: int
    stayed: tuple[str, ...]


def kills(image: str, count: int, seed: int = 0) -> Iterator[KilledRun]:
    """Kill so many runs of an image that has the example's adapter; every second one speaks over a port."""
    drawn = random.Random(seed)  # noqa: S311 - moments, no secrets
    engine = Engine()
    for number in range(count):
        over_port = f"docker:{image}?port=7000 python -c {msgspec.json.encode(SERVES).decode()}"
        candidate = over_port if number % 2 else f"docker:{image}"
        after_s = round(drawn.uniform(0, LATEST_S), 2)
        _killed_run(engine, candidate, after_s)
        left = len(labelled(engine))
        ImageCandidate(image_name_of(image))  # what each run begins with
        yield KilledRun(candidate=candidate, after_s=after_s, left=left, stayed=tuple(labelled(engine)))


def labelled(engine: Engine) -> list[str]:
    """What runs have in an engine: containers, networks and volumes, by kind and id."""
    api, marked = engine.client.api, {"label": LABEL}
    return [
        *(f"container {one['Id'][:12]}" for one in api.containers(all=True, filters=marked)),
        *(f"network {one['Name']}" for one in api.networks(filters=marked)),
        *(f"volume {one['Name']}" for one in api.volumes(filters=marked)["Volumes"] or ()),
    ]


def _killed_run(engine: Engine, candidate: str, after_s: float) -> None:
    """Begin a run, and kill it some time after it has put anything into the engine."""
    with tempfile.TemporaryDirectory() as out:
        arguments = ["run", "--candidate", candidate, "--profile", "smoke", "--out", out]
        run = subprocess.Popen(
            [sys.executable, "-m", "plumbline.ci", *arguments],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            stdin=subprocess.DEVNULL,
            start_new_session=True,
        )
        wait_until(lambda: run.poll() is not None or bool(labelled(engine)), _BEGINS_S)
        try:
            run.wait(after_s)
        except subprocess.TimeoutExpired:
            os.killpg(run.pid, signal.SIGKILL)
            run.wait()


@click.command()
@click.argument("image")
@click.argument("count", type=click.IntRange(1), default=10)
@click.option("--seed", default=0, show_default=True, help="What the moments are drawn from.")
@click.pass_context
def main(context: click.Context, image: str, count: int, seed: int) -> None:
    """Kill COUNT runs of IMAGE at random moments; exit code 1 where anything of them stays."""
    stayed = 0
    for kill in kills(image, count, seed):
        stayed += len(kill.stayed)
        told = ", ".join(kill.stayed) or "nothing stayed"
        click.echo(f"{kill.candidate[:40]}: killed after {kill.after_s:.2f} s with {kill.left} there; {told}")
    click.echo(f"{count} kills, {stayed} left behind")
    context.exit(1 if stayed else 0)


if __name__ == "__main__":
    main()
