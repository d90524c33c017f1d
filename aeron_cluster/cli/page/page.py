"""``aeron-cluster page``."""

from __future__ import annotations

import click
from rich.console import Console

from aeron_cluster.cli.metrics.endpoint import listen as listen_at
from aeron_cluster.cli.metrics.endpoint import url
from aeron_cluster.cli.options.member import reports_errors
from aeron_cluster.memory.system.signals import ShutdownSignalBarrier

__all__ = ["page"]


@click.command()
@click.argument("directories", metavar="[DIR]...", nargs=-1)
@click.option(
    "--listen",
    default="localhost:8080",
    show_default=True,
    metavar="[HOST]:PORT",
    help="Where to serve; without a host at all addresses of this machine.",
)
@reports_errors
def page(directories: tuple[str, ...], listen: str) -> None:
    """Serve a live page of a cluster: its members, its latency by percentile, and its log.

    Each DIR is the data directory of a node on this machine, or the cluster directory of a member,
    ours or Java's. The page reads files and shared memory, and changes nothing; it loads nothing
    from a network. Latency is shown of nodes that were started with --latency; the messages of the
    log if aeron-cluster[arrow] is installed.

    \b
    Examples:
      aeron-cluster page data
      aeron-cluster page data/member-0 data/member-1 data/member-2 --listen localhost:8000
    """  # noqa: D301 - \b is click's mark
    # Only here: they import packages of the extra.
    from aeron_cluster.cli.page.app import make_app, serve  # noqa: PLC0415
    from aeron_cluster.cli.page.view import PageView  # noqa: PLC0415

    console = Console(stderr=True, highlight=False)
    view = PageView(directories or ("aeron-cluster",))
    with ShutdownSignalBarrier() as barrier, listen_at("--listen", listen) as bound:
        is_local = bound.getsockname()[0] in ("127.0.0.1", "::1")
        app = make_app(view, is_local=is_local)
        console.print(f"page at {url(bound)}", soft_wrap=True)
        if not is_local:
            console.print(
                "warning: anyone who reaches this port can read the page, messages of the log"
                " included",
                style="yellow",
                soft_wrap=True,
            )
        console.print("Ctrl-C ends it", style="dim")
        serve(app, bound, lambda: barrier.wait(0))
    console.print("closed")
