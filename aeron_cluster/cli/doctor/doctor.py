"""``aeron-cluster doctor``."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Final

import click
from rich.table import Table
from rich.text import Text

from aeron_cluster.cli.doctor.findings import Finding, Verdict, examine
from aeron_cluster.cli.doctor.layout import recommend
from aeron_cluster.cli.doctor.machine import Machine, loopback_problem
from aeron_cluster.cli.exit_codes import ExitCode
from aeron_cluster.cli.options.console import console
from aeron_cluster.cli.options.member import json_option, print_json
from aeron_cluster.memory.system.affinity import available_cpus

if TYPE_CHECKING:
    from collections.abc import Sequence

    from aeron_cluster.cli.doctor.layout import Layout

__all__ = ["doctor"]

_STYLES: Final = {Verdict.OK: "green", Verdict.SLOWER: "yellow", Verdict.FAILS: "bold red"}


@click.command()
@click.option(
    "--strict", is_flag=True, help="Exit code 1 also for findings that only increase latency."
)
@json_option
def doctor(strict: bool, is_json: bool) -> None:
    """Check this machine for a node, and recommend a layout of the node's threads.

    Each problem is shown with the command that fixes it. Nothing is changed.

    Exit codes: 0 if nothing prevents nodes and clients from working, 1 if something does.

    \b
    Examples:
      aeron-cluster doctor
      aeron-cluster doctor --json | jq -r '.findings[] | select(.verdict != "OK").remedy'
      aeron-cluster doctor --strict && aeron-cluster node --service my_service:MyService
    """  # noqa: D301 - \b is click's mark
    machine = Machine.read()
    findings = examine(machine, loopback_problem())
    layouts = recommend(available_cpus(machine.cpus), machine.isolated_cpus, machine.cpu_quota)
    if is_json:
        print_json(findings=findings, layouts=layouts, machine=_plain(machine))
    else:
        _print(findings, layouts)
    fatal = {Verdict.FAILS, Verdict.SLOWER} if strict else {Verdict.FAILS}
    if any(each.verdict in fatal for each in findings):
        raise SystemExit(ExitCode.NO)


def _plain(machine: Machine) -> dict[str, object]:
    return {**asdict(machine), "isolated_cpus": sorted(machine.isolated_cpus)}


def _print(findings: Sequence[Finding], layouts: Sequence[Layout]) -> None:
    out = console()
    table = Table(box=None, show_header=False, pad_edge=False)
    table.add_column(no_wrap=True)
    table.add_column(no_wrap=True)
    table.add_column(overflow="fold")
    for each in findings:
        table.add_row(
            Text(each.verdict.value, style=_STYLES[each.verdict]), each.name, Text(each.found)
        )
        if each.effect:
            table.add_row("", "", Text(each.effect, style="dim"))
        if each.remedy:
            table.add_row("", "", Text(f"$ {each.remedy}", style="bold"))
    out.print(table)
    out.print()
    for layout in layouts:
        out.print(f"aeron-cluster node {layout.arguments}", style="bold", soft_wrap=True)
        out.print(f"  {layout.reason}", style="dim", soft_wrap=True)
