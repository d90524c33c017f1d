"""``aeron-cluster pipeline``: jobs over what archives recorded."""

from __future__ import annotations

import difflib
from importlib import import_module
from typing import Final

import click

__all__ = ["pipeline"]

# The module in this folder, imported when requested: PyArrow takes its time, and only some need it.
_VERBS: Final = {
    "audit": (
        "audit",
        "Check whether members have the same log, terms and snapshots.",
    ),
    "compact": (
        "compact",
        "Write what is committed of a log as Parquet, and continue it.",
    ),
    "latency": (
        "latency",
        "Show how long the log waited, as tables and a page.",
    ),
    "sessions": (
        "sessions",
        "Show clients' sessions, as tables and a page.",
    ),
    "state-at": (
        "state_at",
        "Keep the state that a service had at positions or times.",
    ),
    "verify": (
        "verify",
        "Check whether what compact wrote is all of the log.",
    ),
}


class _LazyVerbs(click.Group):
    def list_commands(self, ctx: click.Context) -> list[str]:
        del ctx
        return sorted(_VERBS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in _VERBS:
            near = difflib.get_close_matches(cmd_name, _VERBS, 1)
            hint = f" Did you mean {near[0]!r}?" if near else ""
            ctx.fail(f"No such command {cmd_name!r}.{hint}")
        command = getattr(
            import_module(f"aeron_cluster.cli.pipeline.{_VERBS[cmd_name][0]}"),
            cmd_name.replace("-", "_"),
        )
        assert isinstance(command, click.Command)
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        del ctx
        with formatter.section("Jobs"):
            formatter.write_dl([(name, text) for name, (_, text) in sorted(_VERBS.items())])


@click.group(cls=_LazyVerbs)
def pipeline() -> None:
    """Jobs over what archives recorded: files are read, of Java's members and of ours.

    The members may be running, stopped, or copied from another machine; nothing of theirs is
    written to.

    \b
    Examples:
      aeron-cluster pipeline audit node0 node1 node2
      aeron-cluster pipeline compact node0 --to lake
      aeron-cluster pipeline verify lake node0
      aeron-cluster pipeline sessions node0 --out sessions
      aeron-cluster pipeline latency node0 --out latency
      aeron-cluster pipeline state-at node0 --service my_service:MyService --position 81920 --to out
    """  # noqa: D301 - \b is click's mark
