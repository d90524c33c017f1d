"""Generate the types of the components' options: a TypedDict for each table.

The names, types and meanings of keywords are in the tables of ``config.py``; further keywords
(seams, handlers) are the fields of a context's dataclass. From both the modules ``options.py`` are
generated next to the contexts, so that mypy and editors know every keyword of ``launch``,
``connect`` and ``of``.

Without arguments the files are written; with ``--check`` they are compared, and a difference is
printed and fails.
"""

from __future__ import annotations

import argparse
import ast
import sys
import textwrap
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from aeron_cluster import config
from tools.generate_codecs import ROOT, WIDTH, compare, lay_out

TOOL = "tools/generate_options.py"
PLACES = ("dir", "file")


@dataclass(frozen=True)
class Dict:
    """A TypedDict to generate.

    Parameters
    ----------
    name : str
    about : str
        The docstring.
    table : str
        The name of the table in ``config.py``.
    context : str
        The module of the context.
    fields_of : str
        The dataclass in it whose fields are keywords too; empty without one.
    without : tuple of str
        Fields that are not keywords.
    more : tuple of tuple
        Further keywords of ``launch``, with annotation and description.
    base : str
        Another TypedDict, whose keywords are included.
    base_from : str
        The module of the base, unless it is in the same file.
    """

    name: str
    about: str
    table: str
    context: str
    fields_of: str = ""
    without: tuple[str, ...] = ()
    more: tuple[tuple[str, str, str], ...] = ()
    base: str = ""
    base_from: str = ""


_COMPOUND = ("options", "properties")

FILES: dict[str, tuple[Dict, ...]] = {
    "client/options.py": (
        Dict(
            "ClientOptions",
            "The options of `Aeron.connect` and `ClientContext.of`.",
            "CLIENT_OPTIONS",
            "client.context",
            "ClientContext",
        ),
    ),
    "driver/options.py": (
        Dict(
            "DriverOptions",
            "The options of `MediaDriver.launch` and `DriverContext.of`.",
            "DRIVER_OPTIONS",
            "driver.context",
            more=(
                (
                    "environment",
                    "Mapping[str, str] | None",
                    "The environment; by default that of the process.",
                ),
                ("seams", "Seams | None", "Time, randomness, network and files."),
                (
                    "termination_hook",
                    "Callable[[], object] | None",
                    "Called, on the conductor's thread, when the driver cannot continue, or a"
                    " client requests its termination.",
                ),
                (
                    "termination_validator",
                    "Callable[[str, bytes], object] | None",
                    "Called with the directory and the token of a client's request for"
                    " termination; it is allowed if the result is true.",
                ),
            ),
        ),
    ),
    "archive/client/options.py": (
        Dict(
            "ArchiveClientOptions",
            "The options of `AeronArchive.connect` and `ArchiveClientContext.of`.",
            "ARCHIVE_CLIENT_OPTIONS",
            "archive.client.client_context",
            "ArchiveClientContext",
        ),
    ),
    "archive/persistent/options.py": (
        Dict(
            "PersistentSubscriptionOptions",
            "The options of `PersistentSubscription` and `PersistentSubscriptionContext.of`.",
            "",
            "archive.persistent.context",
            "PersistentSubscriptionContext",
            ("archive",),
            base="ArchiveClientOptions",
            base_from="archive.client.options",
        ),
    ),
    "archive/options.py": (
        Dict(
            "ArchiveOptions",
            "The options of `Archive.launch` and `ArchiveContext.of`.",
            "ARCHIVE_OPTIONS",
            "archive.context",
            "ArchiveContext",
            ("options", "archive_id", "client_template", "events"),
        ),
    ),
    "cluster_client/options.py": (
        Dict(
            "SessionOptions",
            "The options of every client of a cluster.",
            "CLUSTER_CLIENT_OPTIONS",
            "cluster_client.context",
            "ClusterClientContext",
            ("listener",),
        ),
        Dict(
            "ClusterClientOptions",
            "The options of `AeronCluster.connect` and `ClusterClientContext.of`.",
            "",
            "cluster_client.context",
            more=(("listener", "EgressListener | None", "Receives the messages of the cluster."),),
            base="SessionOptions",
        ),
    ),
    "cluster_client/surviving_options.py": (
        Dict(
            "SurvivingClientOptions",
            "The options of `SurvivingClient.connect`, `start` and `SurvivingContext.of`.",
            "SURVIVING_CLIENT_OPTIONS",
            "cluster_client.surviving_client",
            "SurvivingContext",
            ("cluster", "listener"),
            more=(
                (
                    "listener",
                    "RequestListener",
                    "Receives answers, failures and changes of state.",
                ),
            ),
            base="SessionOptions",
            base_from="cluster_client.options",
        ),
    ),
    "cluster/context/options.py": (
        Dict(
            "ConsensusModuleOptions",
            "The options of `ConsensusModule.launch` and `ConsensusModuleContext.of`.",
            "CONSENSUS_MODULE_OPTIONS",
            "cluster.context.module_context",
            "ConsensusModuleContext",
            (*_COMPOUND, "members", "time_unit", "events"),
        ),
    ),
    "cluster/service/options.py": (
        Dict(
            "ServiceContainerOptions",
            "The options of `ClusteredServiceContainer.launch` and `ContainerContext.of`.",
            "SERVICE_CONTAINER_OPTIONS",
            "cluster.service.container_context",
            "ContainerContext",
            ("options",),
        ),
    ),
    "cluster/backup/options.py": (
        Dict(
            "BackupOptions",
            "The options of `ClusterBackup.launch` and `BackupContext.of`.",
            "BACKUP_OPTIONS",
            "cluster.backup.context",
            "BackupContext",
            (*_COMPOUND, "events"),
        ),
    ),
}


def type_of(option: config.Option) -> str:
    """Return the annotation of a keyword; None counts as unset."""
    match option.kind:
        case "duration_ns":
            kind = "Duration"
        case "size":
            kind = "Size"
        case "str" if option.keyword.endswith(PLACES):
            kind = "str | os.PathLike[str]"
        case "str" if option.keyword.endswith("channel"):
            kind = "str | ChannelUri"
        case "enum":
            kind = f"Literal[{', '.join(repr(each) for each in option.choices)}]"
        case kind:
            pass
    return f"{kind} | None"


def doc_of(option: config.Option) -> str:
    """Return an option's description, its property and its default."""
    match option.default:
        case None:
            default = ""
        case int() if option.kind == "duration_ns":
            default = config.format_duration_ns(option.default)
        case int() if option.kind == "size":
            default = config.format_size(option.default)
        case value if callable(value):
            default = "that of this user"
        case "":
            default = ""
        case value:
            default = str(value)
    about = f"{option.doc[0].upper()}{option.doc[1:]}"
    return f"{about}: {option.name}{f' (default: {default})' if default else ''}."


def fields_of(kind: Dict) -> list[tuple[str, str]]:
    """Return the fields of a context's dataclass: name and annotation."""
    path = ROOT / "aeron_cluster" / f"{kind.context.replace('.', '/')}.py"
    for node in ast.parse(path.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.ClassDef) and node.name == kind.fields_of:
            return [
                (each.target.id, ast.unparse(each.annotation))
                for each in node.body
                if isinstance(each, ast.AnnAssign) and isinstance(each.target, ast.Name)
            ]
    return []


def imports_of(module: str) -> dict[str, str]:
    """Return the import of each name of a module, those for types included."""
    path = ROOT / "aeron_cluster" / f"{module.replace('.', '/')}.py"
    return {
        alias.asname or alias.name: f"from {node.module} import {alias.name}"
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    }


KNOWN = {
    "ArchiveClientOptions": "from aeron_cluster.archive.client.options import ArchiveClientOptions",
    "Callable": "from collections.abc import Callable",
    "ChannelUri": "from aeron_cluster.codecs.channel_uri import ChannelUri",
    "Duration": "from aeron_cluster.config import Duration",
    "Literal": "from typing import Literal",
    "Mapping": "from collections.abc import Mapping",
    "RequestListener": "from aeron_cluster.cluster_client.request_listener import RequestListener",
    "Seams": "from aeron_cluster.memory.system.seams import Seams",
    "Size": "from aeron_cluster.config import Size",
    "os": "import os",
}


def members_of(kind: Dict) -> list[tuple[str, str, str]]:
    """Return name, annotation and description of each keyword."""
    table: tuple[config.Option, ...] = getattr(config, kind.table) if kind.table else ()
    found = {option.keyword: (type_of(option), doc_of(option)) for option in table}
    # the fields of the context come before those of the table
    is_compound = "options" in kind.without
    for name, annotation in fields_of(kind):
        if (is_compound or name not in found) and name not in kind.without:
            about = found[name][1] if name in found else ""
            accepted = "Duration" if name.endswith("_ns") else annotation
            if name == "idle_strategy":
                accepted = annotation.replace("IdleStrategy", "IdleStrategy | str")
            found[name] = (accepted, about)
    found |= {name: (annotation, about) for name, annotation, about in kind.more}
    return [(name, *found[name]) for name in found]


def imports_in_order(needed: dict[str, str]) -> str:
    """Return import statements as ruff sorts them: the standard library's, then ours."""
    names: dict[str, list[str]] = {}
    for name, line in needed.items():
        names.setdefault(line.partition(" import ")[0], []).append(name)
    text = ""
    for is_ours in (False, True):
        if text:
            text += "\n"
        for module in sorted(names, key=lambda each: (each.startswith("from"), each)):
            if ("aeron_cluster" in module) is is_ours:
                rest = f" import {', '.join(sorted(names[module]))}"
                text += f"{module}{rest if module.startswith('from') else ''}\n"
    return text


def product(kinds: tuple[Dict, ...]) -> str:
    """Return the text of a module with some TypedDicts."""
    body = ""
    needed: dict[str, str] = {}
    made: set[str] = set()
    bases = {(kind.base_from, kind.base) for kind in kinds if kind.base_from}
    for kind in kinds:
        imports = imports_of(kind.context) | KNOWN
        base = kind.base or "TypedDict"
        body += f'\n\nclass {kind.name}({base}, total=False):\n    """{kind.about}"""\n\n'
        for name, annotation, about in members_of(kind):
            body += f"    {name}: {annotation}\n"
            if about:
                lines = textwrap.wrap(f'"""{about}"""', WIDTH - 4)
                body += "".join(f"    {line}\n" for line in lines)
            for node in ast.walk(ast.parse(annotation)):
                if isinstance(node, ast.Name) and node.id in imports:
                    needed[node.id] = imports[node.id]
        made.add(kind.name)
    text = f"# Generated from config.py by {TOOL}. Edit config.py, run it again.\n"
    text += '"""The types of options, by keyword."""\n\nfrom __future__ import annotations\n\n'
    named = ["TYPE_CHECKING"] + ["TypedDict"] * any(not kind.base for kind in kinds)
    text += f"from typing import {', '.join(named)}\n\n"
    for module, base in sorted(bases):
        text += f"from aeron_cluster.{module} import {base}\n\n"
    text += f"if TYPE_CHECKING:\n{textwrap.indent(imports_in_order(needed), '    ')}"
    names = ", ".join(f'"{name}"' for name in sorted(made))
    return f"{text}\n__all__ = [{names}]{body}"


def main() -> int:
    """Write or compare."""
    parser = argparse.ArgumentParser(description="Generate the types of options.")
    parser.add_argument("--check", action="store_true", help="compare instead of writing")
    is_check = parser.parse_args().check
    differences: list[str] = []
    for name, kinds in FILES.items():
        path = Path("aeron_cluster") / name
        text, is_laid_out = lay_out(path, product(kinds))
        if is_check:
            differences += compare(path, text, is_laid_out=is_laid_out)
        elif is_laid_out:
            (ROOT / path).write_text(text, encoding="utf-8")
        else:
            sys.exit(f"{path}: expected ruff to be installed")
    sys.stdout.writelines(differences)
    return 1 if differences else 0


if __name__ == "__main__":
    sys.exit(main())
