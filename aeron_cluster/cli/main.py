"""The command ``aeron-cluster`` and what it can do."""

from __future__ import annotations

import difflib
import tomllib
from importlib import import_module, metadata
from pathlib import Path
from typing import Any, Final

import click

from aeron_cluster.cli.exit_codes import ExitCode

__all__ = ["main"]

# Imported when asked for, so that --help stays quick.
_COMMANDS: Final = {
    "backup": ("aeron_cluster.cli.backup", "Keep a copy of a cluster's log and snapshots."),
    "check": ("aeron_cluster.cli.check", "Tell whether a service is deterministic over a log."),
    "demo": ("aeron_cluster.cli.demo", "Kill a cluster node under load, and find nothing lost."),
    "divergence": (
        "aeron_cluster.cli.divergence",
        "Tell whether members' services did the same.",
    ),
    "driver": ("aeron_cluster.cli.driver", "Run a media driver in the foreground."),
    "node": ("aeron_cluster.cli.node", "Run a cluster node with your services."),
    "pipeline": ("aeron_cluster.cli.pipeline", "Jobs over what archives recorded."),
    "replay": ("aeron_cluster.cli.replay", "Run a service over a recorded log, offline."),
    "restore": ("aeron_cluster.cli.restore", "Have a member start from what a backup has."),
    "sim": ("aeron_cluster.cli.sim", "Run your service in simulated clusters, from seeds."),
    "stat": ("aeron_cluster.cli.stat", "Show the counters of a running driver."),
    "users": ("aeron_cluster.cli.users", "Keep the file of users that a cluster lets in."),
}
_MEMBER_COMMANDS: Final = {
    "abort": ("aeron_cluster.cli.control", "End the cluster without a snapshot."),
    "backup-query": ("aeron_cluster.cli.control", "Show or set when a backup asks next."),
    "describe": ("aeron_cluster.cli.look", "Show who uses a cluster directory."),
    "describe-latest-cm-snapshot": (
        "aeron_cluster.cli.look",
        "Show what the latest snapshot of the consensus module has in it.",
    ),
    "errors": ("aeron_cluster.cli.look", "Show the errors of a member, its driver, its services."),
    "invalidate-latest-snapshot": (
        "aeron_cluster.cli.mend",
        "Have a member recover from the snapshot before.",
    ),
    "is-leader": ("aeron_cluster.cli.look", "End with 0 if the member leads, with 1 if not."),
    "list-members": ("aeron_cluster.cli.look", "Ask a member for the members and the leader."),
    "pid": ("aeron_cluster.cli.look", "Print the process id of a member."),
    "recording-log": ("aeron_cluster.cli.look", "Show a member's terms and snapshots."),
    "recovery-plan": ("aeron_cluster.cli.look", "Show what a member would recover from."),
    "resume": ("aeron_cluster.cli.control", "Have a suspended cluster go on."),
    "seed-recording-log-from-snapshot": (
        "aeron_cluster.cli.mend",
        "Begin a new log with the latest snapshot.",
    ),
    "shutdown": ("aeron_cluster.cli.control", "End the cluster with a snapshot."),
    "snapshot": ("aeron_cluster.cli.control", "Have the cluster take a snapshot."),
    "sort-recording-log": ("aeron_cluster.cli.mend", "Put the recording log's entries in order."),
    "status": ("aeron_cluster.cli.status", "Show how members are doing, on and on with --watch."),
    "suspend": ("aeron_cluster.cli.control", "Have the cluster take no more messages."),
    "tool": ("aeron_cluster.cli.tool", "Do as Java's ClusterTool does, word for word."),
    "validate-recording-log": (
        "aeron_cluster.cli.control",
        "Have a member check its snapshots against its archive.",
    ),
}
_SECTIONS: Final = {
    "Commands": _COMMANDS,
    "Commands for members, by their cluster directory": _MEMBER_COMMANDS,
}
_EVERY_COMMAND: Final = _COMMANDS | _MEMBER_COMMANDS


def _print_version(ctx: click.Context, _: click.Parameter, is_asked: bool) -> None:
    if is_asked and not ctx.resilient_parsing:
        click.echo(f"aeron-cluster, version {_version()}")
        ctx.exit()


def _version() -> str:
    """Return the version of what is installed, or else of the source tree that this is run from."""
    try:
        return metadata.version("aeron-cluster")
    except metadata.PackageNotFoundError:
        project = Path(__file__).parents[2] / "pyproject.toml"
        if not project.is_file():
            return "unknown: neither installed nor in its source tree"
        return str(tomllib.loads(project.read_text(encoding="utf-8"))["project"]["version"])


class _LazyGroup(click.Group):
    def invoke(self, ctx: click.Context) -> Any:  # noqa: ANN401 - as click says it
        try:
            return super().invoke(ctx)
        except KeyboardInterrupt:  # before the command handles it
            click.echo("stopped", err=True)
            raise SystemExit(ExitCode.INTERRUPTED) from None

    def list_commands(self, ctx: click.Context) -> list[str]:
        del ctx
        return sorted(_EVERY_COMMAND)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in _EVERY_COMMAND:
            near = difflib.get_close_matches(cmd_name, _EVERY_COMMAND, 1)
            hint = f" Did you mean {near[0]!r}?" if near else ""
            ctx.fail(f"No such command {cmd_name!r}.{hint}")
        module = import_module(_EVERY_COMMAND[cmd_name][0])
        command = getattr(module, cmd_name.replace("-", "_"))
        assert isinstance(command, click.Command)
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        del ctx
        for title, commands in _SECTIONS.items():
            with formatter.section(title):
                formatter.write_dl([(name, text) for name, (_, text) in sorted(commands.items())])


@click.group(cls=_LazyGroup, context_settings={"help_option_names": ["-h", "--help"]})
@click.option(
    "--version",
    is_flag=True,
    expose_value=False,
    is_eager=True,
    callback=_print_version,
    help="Show the version and exit.",
)
def main() -> None:
    """Aeron Cluster for Python: messages, archive and replicated services.

    Every command explains itself with --help. Exit codes: 0 when it did what was asked, 1 when the
    answer is no, 2 on wrong usage, 3 when what it needs cannot be reached, 4 when a file is
    damaged.

    \b
    First steps:
      aeron-cluster demo            see a node killed under load, and nothing lost
      aeron-cluster node --service my_service:MyService --dir data
                                    run a node with your own service
      aeron-cluster status data     see how it is doing
      aeron-cluster stat --dir DIR  look at the counters of its driver
      aeron-cluster driver          run a media driver that clients in any language can use
    """  # noqa: D301 - \b is click's mark
