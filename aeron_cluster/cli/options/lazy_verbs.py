"""A command with several verbs, each imported when it is run."""

from __future__ import annotations

import difflib
from importlib import import_module
from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["LazyVerbs", "reject_options"]


class LazyVerbs(click.Group):
    """A group whose verbs are in modules of a package.

    Parameters
    ----------
    package : str
        The package of the modules.
    sections : Mapping of str to Mapping
        By the title of a list of verbs: by the verb's name, its module and its line of help. The
        function in the module has the same name, with underscores.
    **attributes
        As for `click.Group`.
    """

    def __init__(
        self,
        *,
        package: str,
        sections: Mapping[str, Mapping[str, tuple[str, str]]],
        **attributes: Any,  # noqa: ANN401 - as click's
    ) -> None:
        self._package = package
        self._sections = sections
        self._verbs = {name: each for verbs in sections.values() for name, each in verbs.items()}
        super().__init__(**attributes)

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the verbs."""
        del ctx
        return sorted(self._verbs)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Return a verb; for an unknown verb, raise a usage error with the most similar name."""
        if cmd_name not in self._verbs:
            near = difflib.get_close_matches(cmd_name, self._verbs, 1)
            hint = f" Did you mean {near[0]!r}?" if near else ""
            ctx.fail(f"No such command {cmd_name!r}.{hint}")
        module = import_module(f"{self._package}.{self._verbs[cmd_name][0]}")
        command = getattr(module, cmd_name.replace("-", "_"))
        assert isinstance(command, click.Command)
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the lists of verbs."""
        del ctx
        for title, verbs in self._sections.items():
            with formatter.section(title):
                formatter.write_dl([(name, text) for name, (_, text) in sorted(verbs.items())])


def reject_options(ctx: click.Context, what: str) -> None:
    """Reject the options of a group that also works without a verb, if a verb was given.

    Parameters
    ----------
    ctx : click.Context
        The context of the group.
    what : str
        The purpose of the options.
    """
    for each in ctx.command.params:
        if ctx.get_parameter_source(each.name or "") is ParameterSource.COMMANDLINE:
            ctx.fail(f"{each.opts[0]} is for {what}, not for {ctx.invoked_subcommand}")
