"""``aeron-cluster send``."""

from __future__ import annotations

import json
import sys

import click

from aeron_cluster.cli.client.places import client_options, find_endpoints
from aeron_cluster.cli.client.requester import Requester, open_requester
from aeron_cluster.cli.exit_codes import ExitCode, fail
from aeron_cluster.cli.latency import PERCENTILES, LatencyHistogram
from aeron_cluster.cli.options.credentials import read_credentials
from aeron_cluster.cli.options.durations import format_ns
from aeron_cluster.errors import AeronClusterError, RequestFailedError
from aeron_cluster.memory.system.seams import SystemFiles
from aeron_cluster.memory.system.signals import ShutdownSignalBarrier

__all__ = ["send"]


@click.command()
@click.argument("texts", metavar="[TEXT]...", nargs=-1)
@click.option(
    "--file",
    "files",
    multiple=True,
    metavar="FILE",
    help="Send the content of a file as one request; - is standard input. May be repeated.",
)
@click.option("--hex", "is_hex", is_flag=True, help="Requests and answers as hexadecimal digits.")
@click.option(
    "--count",
    default=1,
    show_default=True,
    type=click.IntRange(1),
    help="Send all requests this many times, one after the other, and print the latencies.",
)
@click.option("--json", "is_json", is_flag=True, help="Print one JSON object for each request.")
@client_options
def send(
    texts: tuple[str, ...],
    files: tuple[str, ...],
    is_hex: bool,
    count: int,
    is_json: bool,
    endpoints: str | None,
    raw: bool,
    timeout_ns: int,
    credentials: str | None,
    aeron_dir: str | None,
) -> None:
    """Send requests to a cluster and print each answer on a line.

    Each TEXT is a request. Requests are numbered and resent until they are answered, also after a
    change of leader, as by SurvivingClient; a service that uses Deduplication applies each one
    once. Other events, such as a new leader, are printed to standard error.

    Exit codes: 0 if all were answered, 1 if the service rejected one or failed (the others are
    still sent) or the cluster closed the session, 2 for a usage error, 3 if no member answered in
    time.

    \b
    Examples:
      aeron-cluster send hello                    (to the cluster of aeron-cluster local)
      aeron-cluster send --to localhost:9001,localhost:9011,localhost:9021 'buy 10' 'sell 3'
      aeron-cluster send --hex 0a000000 --count 1000
      aeron-cluster send --file order.bin --timeout 60s --json
    """  # noqa: D301 - \b is click's mark
    if not texts and not files:
        raise click.UsageError("expected a text to send, or --file")
    payloads = [_payload(text, is_hex) for text in texts]
    sender = _Sender(is_hex=is_hex, is_json=is_json)
    try:
        payloads += map(_content, files)
        place = find_endpoints(endpoints)
        options = read_credentials(credentials, SystemFiles()) | {"aeron_dir": aeron_dir}
        with (
            ShutdownSignalBarrier() as barrier,
            open_requester(
                place, timeout_ns, raw=raw, is_stopped=lambda: barrier.wait(0), options=options
            ) as requester,
        ):
            for _ in range(count):
                for each in payloads:
                    sender.send(requester, each)
    except KeyboardInterrupt:
        sender.print_summary(is_many=True)
        raise SystemExit(ExitCode.INTERRUPTED) from None
    except AeronClusterError as error:
        fail(error)
    sender.print_summary(is_many=count > 1)
    if any(sender.outcomes.values()):
        raise SystemExit(ExitCode.NO)


def _payload(text: str, is_hex: bool) -> bytes:
    if not is_hex:
        return text.encode(errors="surrogateescape")  # as the shell passed it
    try:
        return bytes.fromhex(text)
    except ValueError:
        raise click.BadParameter(
            f"expected pairs of hexadecimal digits, found {text!r}", param_hint="TEXT"
        ) from None


def _content(path: str) -> bytes:
    return sys.stdin.buffer.read() if path == "-" else SystemFiles().read(path)


class _Sender:
    """Sends requests and prints their results."""

    def __init__(self, *, is_hex: bool, is_json: bool) -> None:
        self.outcomes = {"rejected": 0, "failed": 0}
        self._is_hex = is_hex
        self._is_json = is_json
        self._latencies = LatencyHistogram()

    def send(self, requester: Requester, payload: bytes) -> None:
        """Send a request and print its answer."""
        try:
            answer, duration_ns = requester.request(payload)
        except RequestFailedError as error:
            self.outcomes[error.outcome] += 1
            if self._is_json:
                click.echo(json.dumps({error.outcome: error.reason}))
            else:
                click.secho(f"{error.outcome}: {error.reason}", fg="red", err=True)
            return
        finally:
            while requester.notes:
                click.secho(requester.notes.popleft(), dim=True, err=True)
        self._latencies.record(duration_ns)
        text = answer.hex() if self._is_hex else answer.decode(errors="backslashreplace")
        if self._is_json:
            values = {"answer": text, "duration_ns": duration_ns}
            click.echo(json.dumps(values | {"leader": requester.leader_member_id}))
        else:
            click.echo(text)

    def print_summary(self, *, is_many: bool) -> None:
        """Print the number of answers and, if there were several, their latencies."""
        latencies = self._latencies
        if not is_many or self._is_json:
            return
        line = f"{latencies.count:,} answers"
        line += "".join(f", {count:,} {outcome}" for outcome, count in self.outcomes.items())
        if latencies.count:
            times = [
                f"p{each:g} {format_ns(latencies.percentile_ns(each))}" for each in PERCENTILES
            ]
            line += f"; {', '.join(times)}, max {format_ns(latencies.max_ns)}"
        click.echo(line, err=True)
