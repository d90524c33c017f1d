"""The command ``aeron-cluster`` and what it can do."""

from __future__ import annotations

from importlib import import_module
from typing import Any, Final

import click

__all__ = ["main"]

# Imported when asked for, so that --help stays quick.
_COMMANDS: Final = {
    "demo": ("aeron_cluster.cli.demo", "Kill a cluster node under load, and find nothing lost."),
    "driver": ("aeron_cluster.cli.driver", "Run a media driver in the foreground."),
    "node": ("aeron_cluster.cli.node", "Run a cluster node with your services."),
    "stat": ("aeron_cluster.cli.stat", "Show the counters of a running driver."),
}


_INTERRUPTED: Final = 130


class _LazyGroup(click.Group):
    def invoke(self, ctx: click.Context) -> Any:  # noqa: ANN401 - as click says it
        try:
            return super().invoke(ctx)
        except KeyboardInterrupt:  # before the command was there to hear it
            click.echo("stopped", err=True)
            raise SystemExit(_INTERRUPTED) from None

    def list_commands(self, ctx: click.Context) -> list[str]:
        del ctx
        return sorted(_COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        del ctx
        if cmd_name not in _COMMANDS:
            return None
        command = getattr(import_module(_COMMANDS[cmd_name][0]), cmd_name)
        assert isinstance(command, click.Command)
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        del ctx
        with formatter.section("Commands"):
            formatter.write_dl([(name, text) for name, (_, text) in sorted(_COMMANDS.items())])


@click.group(cls=_LazyGroup, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="aeron-cluster")
def main() -> None:
    """Aeron Cluster for Python: messages, archive and replicated services.

    Every command tells more with --help, and ends with 0 when it did what was asked, 2 when it
    was asked wrongly, 3 when what it needs cannot be reached.

    \b
    First steps:
      aeron-cluster demo            see a node killed under load, and nothing lost
      aeron-cluster node --service my_service:MyService --dir data
                                    run a node with your own service
      aeron-cluster stat --dir DIR  look at the counters of its driver
      aeron-cluster driver          run a media driver that clients in any language can use
    """  # noqa: D301 - \b is click's mark
