"""``aeron-cluster check``."""

from __future__ import annotations

import itertools
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any, Final

import click

import aeron_cluster
from aeron_cluster.cli.exit_codes import ExitCode, fail
from aeron_cluster.cli.offline.replay import SourceOptions, source_options
from aeron_cluster.errors import AeronClusterError

__all__ = ["check"]

_HASH_SEEDS: Final = ("1", "2")


@click.command()
@source_options
def check(given: SourceOptions) -> None:
    """Check whether a service is deterministic over a recorded log.

    Runs the service twice, in separate processes with different hashes of strings (PYTHONHASHSEED),
    like aeron-cluster replay, and rejects clocks, randomness, threads and I/O in callbacks of a
    Python service. Prints the first position at which the effects of the runs differ, and these
    effects.

    Exit codes: 0 if both have the same effects, 1 if not, or that of replay if it failed.

    \b
    Examples:
      aeron-cluster check node0 --service my_service:MyService
      aeron-cluster check --archive-dir copy --recording 0 --service my_service:MyService
    """  # noqa: D301 - \b is click's mark
    try:
        given.open()  # rejected here, once
    except (AeronClusterError, OSError) as error:
        fail(error)
    is_native = given.service.rpartition(":")[0].endswith((".so", ".dylib"))
    arguments = given.as_arguments()
    if not is_native:
        arguments.append("--check-determinism")
    with tempfile.TemporaryDirectory(prefix="aeron-cluster-check-") as directory:
        runs = [Path(directory) / f"effects-{seed}" for seed in _HASH_SEEDS]
        summaries = [
            _run(seed, [*arguments, "--effects", str(path)])
            for seed, path in zip(_HASH_SEEDS, runs, strict=True)
        ]
        found = _first_difference(*runs)
    first, second = summaries
    if found is not None:
        one, other = found
        position = min(each["position"] for each in found if each is not None)
        click.echo(
            f"different at log position {position}, between runs with different hashes of strings:"
        )
        click.echo(f"  PYTHONHASHSEED={_HASH_SEEDS[0]}: {_text(one)}")
        click.echo(f"  PYTHONHASHSEED={_HASH_SEEDS[1]}: {_text(other)}")
        raise SystemExit(ExitCode.NO)
    if first["hash"] != second["hash"]:
        click.echo(f"different: {first['hash']} and {second['hash']} for the same effects")
        raise SystemExit(ExitCode.NO)
    click.echo(
        f"deterministic over log {first['start']} to {first['position']}: {first['effects']}"
        f" effects, hash {first['hash']} twice"
    )


def _run(seed: str, arguments: list[str]) -> dict[str, Any]:
    """Run the service in a separate process; if it fails, end with its exit code."""
    # The process must find this package and the service, as this one did.
    path = [str(Path(aeron_cluster.__file__).parents[1]), os.environ.get("PYTHONPATH", "")]
    done = subprocess.run(  # noqa: S603 - this interpreter, on what the user named
        [sys.executable, "-m", "aeron_cluster.cli", "replay", *arguments, "--json"],
        env={
            **os.environ,
            "PYTHONHASHSEED": seed,
            "PYTHONPATH": os.pathsep.join(filter(None, path)),
        },
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode != 0:
        click.echo(done.stderr.rstrip() or f"replay ended with {done.returncode}", err=True)
        raise SystemExit(done.returncode if done.returncode > 0 else ExitCode.NOT_REACHABLE)
    summary: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return summary


def _first_difference(
    one: Path, other: Path
) -> tuple[dict[str, Any] | None, dict[str, Any] | None] | None:
    """Return the first effects that differ between two runs; None for a run that has ended."""
    with one.open(encoding="utf-8") as first, other.open(encoding="utf-8") as second:
        for lines in itertools.zip_longest(first, second):
            if lines[0] != lines[1]:
                found = [None if line is None else json.loads(line) for line in lines]
                return found[0], found[1]
    return None


def _text(effect: dict[str, Any] | None) -> str:
    if effect is None:
        return "nothing more"
    name = effect["effect"].replace("_", " ")
    text = f"{name} {effect['id']} at {effect['position']}"
    if effect["value"]:
        text += f", {effect['value']}"
    if "payload" in effect:
        text += f", {effect['length']} bytes {effect['payload']}"
    return text
