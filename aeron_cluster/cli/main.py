"""The command ``aeron-cluster`` and its verbs."""

from __future__ import annotations

from typing import Any, Final

import click

from aeron_cluster.cli.exit_codes import ExitCode
from aeron_cluster.cli.options.lazy_verbs import LazyVerbs

__all__ = ["main"]

# Modules in this folder, imported when needed so that --help is fast.
_COMMANDS: Final = {
    "archive": ("archive.group", "Run an archive, or inspect the directory of one."),
    "backup": ("processes.backup", "Keep a copy of a cluster's log and snapshots."),
    "check": ("offline.check", "Check whether a service is deterministic over a log."),
    "container": ("processes.parts", "Run one of a node's services, beside a consensus module."),
    "demo": ("demo.demo", "Kill a cluster node under load, and find nothing lost."),
    "divergence": (
        "offline.divergence",
        "Compare the effects of members' services.",
    ),
    "doctor": ("doctor.doctor", "Check whether this machine suits a node, and show remedies."),
    "driver": ("processes.driver", "Run a media driver, or inspect a running one."),
    "local": ("local.local", "Run a cluster of several members on this machine."),
    "latency": ("metrics.latency", "Show how long a leader's messages take in each stage."),
    "live": ("metrics.verbs", "End with 0 if a driver or a member is alive."),
    "metrics": ("metrics.verbs", "Serve the metrics of a driver or a member over HTTP."),
    "module": ("processes.parts", "Run a consensus module, on a running driver and archive."),
    "new": ("new.new", "Write a package with a service, a client and tests."),
    "node": ("processes.node", "Run a cluster node with your services."),
    "page": ("page.page", "Serve a live page of a cluster."),
    "pipeline": ("pipeline.group", "Jobs over recordings of archives."),
    "ready": ("metrics.verbs", "End with 0 if a driver or a member serves its clients."),
    "replay": ("offline.replay", "Run a service over a recorded log, offline."),
    "restore": ("processes.restore", "Prepare a member to start from a backup."),
    "send": ("client.send", "Send requests to a cluster and print the answers."),
    "shell": ("client.shell", "Send requests to a cluster from a prompt."),
    "sim": ("sim.sim", "Run your service in simulated clusters, from seeds."),
    "backlog": ("drivers.streams", "Show the unsent and unread bytes of a driver's streams."),
    "events": ("drivers.events", "Show the events that a driver, an archive or a member logged."),
    "log": ("drivers.log", "Show the frames in a log buffer or a segment."),
    "loss": ("drivers.loss", "Show the losses that a driver observed in the network."),
    "stat": ("drivers.stat", "Show the counters of a running driver."),
    "streams": ("drivers.streams", "Show the streams of a driver with their positions."),
    "users": ("users", "Edit the file of users who may connect to a cluster."),
}
_MEMBER_COMMANDS: Final = {
    "abort": ("members.control", "End the cluster without a snapshot."),
    "backup-query": ("members.control", "Show or set when a backup queries next."),
    "describe": ("members.inspection", "Show the components that use a cluster directory."),
    "describe-latest-cm-snapshot": (
        "members.inspection",
        "Show the latest snapshot of the consensus module.",
    ),
    "errors": ("members.inspection", "Show the errors of a member, its driver, its services."),
    "invalidate-latest-snapshot": (
        "members.recording_log",
        "Invalidate the latest snapshot, so that recovery uses the previous one.",
    ),
    "is-leader": ("members.inspection", "End with 0 if the member leads, with 1 if not."),
    "list-members": ("members.inspection", "Show the members and the leader."),
    "pid": ("members.inspection", "Print the process id of a member."),
    "recording-log": ("members.inspection", "Show a member's terms and snapshots."),
    "recovery-plan": (
        "members.inspection",
        "Show the snapshots and log that a member would recover from.",
    ),
    "resume": ("members.control", "Resume a suspended cluster."),
    "seed-recording-log-from-snapshot": (
        "members.recording_log",
        "Begin a new log with the latest snapshot.",
    ),
    "shutdown": ("members.control", "End the cluster with a snapshot."),
    "snapshot": ("members.control", "Take a snapshot of the cluster."),
    "sort-recording-log": ("members.recording_log", "Sort the entries of the recording log."),
    "status": ("members.status", "Show the state of members, continuously with --watch."),
    "suspend": ("members.control", "Suspend the cluster: it accepts no more messages."),
    "tool": ("members.tool", "Run a command of Java's ClusterTool, with the same output."),
    "validate-recording-log": (
        "members.control",
        "Make a member check its snapshots against its archive.",
    ),
}
_SECTIONS: Final = {
    "Commands": _COMMANDS,
    "Commands for members, by their cluster directory": _MEMBER_COMMANDS,
}


def _print_version(ctx: click.Context, _: click.Parameter, is_given: bool) -> None:
    if is_given and not ctx.resilient_parsing:
        # Imported only if needed: it imports importlib.metadata, which takes as long as click.
        from aeron_cluster.version import find_version  # noqa: PLC0415

        click.echo(f"aeron-cluster, version {find_version()}")
        ctx.exit()


class _Commands(LazyVerbs):
    def invoke(self, ctx: click.Context) -> Any:  # noqa: ANN401 - as in click
        try:
            return super().invoke(ctx)
        except KeyboardInterrupt:  # before the command handles the signal
            click.echo("stopped", err=True)
            raise SystemExit(ExitCode.INTERRUPTED) from None


@click.group(
    cls=_Commands,
    package="aeron_cluster.cli",
    sections=_SECTIONS,
    context_settings={"help_option_names": ["-h", "--help"]},
)
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

    Every command has --help. Exit codes: 0 success, 1 the answer is no, 2 a usage error, 3 a
    resource cannot be reached, 4 a file is damaged.

    \b
    First steps:
      aeron-cluster demo            see a node killed under load, and nothing lost
      aeron-cluster new my_service  write a package with a service of your own
      aeron-cluster local 3 --service my_service:MyService
                                    run it on three members here; see send
      aeron-cluster node --service my_service:MyService --dir data
                                    run a node with your own service
      aeron-cluster status data     show its state
      aeron-cluster stat --dir DIR  show the counters of its driver
      aeron-cluster driver          run a media driver that clients in any language can use
    """  # noqa: D301 - \b is click's mark
