"""The project's rules beyond linters, checked on every tracked source file.

Each rule is a function from a file's text to its violations. A small bad example with the expected
violations accompanies it, so that a rule that detects nothing fails.
"""

import ast
import graphlib
import io
import re
import subprocess
import sys
import tokenize
from pathlib import Path

import pytest

from tests.conftest import ROOT
from tests.unit.codecs.test_older_fields import newer_fields
from tools.signatures import bare as bare_cython
from tools.signatures import signatures

# A room, and the other rooms that it may import or cimport.
FOUNDATION = {"errors", "config", "exports"}
ABOVE: dict[str, set[str]] = {
    "errors": set(),
    "config": {"errors"},
    "exports": set(),
    "native": set(),
    "version": set(),
    "memory": FOUNDATION,
    "codecs": FOUNDATION | {"memory"},
    "events": FOUNDATION | {"memory", "codecs"},
    "logbuffer": FOUNDATION | {"memory", "codecs"},
    "client": FOUNDATION | {"memory", "codecs", "logbuffer"},
    "driver": FOUNDATION | {"memory", "codecs", "events", "logbuffer"},
    "cluster_client": FOUNDATION | {"memory", "codecs", "logbuffer", "client"},
    "archive": FOUNDATION | {"memory", "codecs", "events", "logbuffer", "client"},
    "cluster": FOUNDATION | {"memory", "codecs", "events", "logbuffer", "client", "archive"},
}
ABOVE["simulator"] = set(ABOVE)
ABOVE["pipeline"] = set(ABOVE) - {"driver", "simulator"}
ABOVE["cli"] = set(ABOVE)
ROOMS = set(ABOVE)
# The parts of a room or of a folder in it (folders and modules), each with the other parts that
# it may import, which are listed before it.
PARTS: dict[str, dict[str, set[str]]] = {
    "memory": {
        "system": set(),
        "shared": {"system"},
        "agents": {"system", "shared"},
    },
    "cluster": {
        "security": set(),
        "members": {"security"},
        "state": {"members"},
        "context": {"security", "members", "state"},
        "log": {"members", "state", "context"},
        "service": {"members", "state", "context"},
        "sessions": {"security", "members", "state", "context", "log"},
        "backup": {"security", "members", "state", "context", "log"},
        "agent": {"security", "members", "state", "context", "log", "sessions"},
        "latency": {"agent", "service"},
        "snapshots": {"members", "state", "context", "log", "agent"},
        "election": {"members", "state", "context", "log", "sessions", "agent"},
        "module": {
            "security",
            "members",
            "state",
            "context",
            "log",
            "sessions",
            "agent",
            "snapshots",
            "election",
        },
        "tools": {"members", "state", "backup", "agent", "election"},
        "node_options": {"members", "context", "service"},
        "assembly": {
            "members",
            "context",
            "service",
            "agent",
            "latency",
            "module",
            "node_options",
        },
    },
    "driver": {
        "options": set(),
        "option_names": set(),
        "context": {"options", "option_names"},
        "directory": {"context"},
        "private_directories": {"directory"},
        "loss_report_reader": {"directory"},
        "streams": {"context"},
        "media": {"context", "streams"},
        "send": {"streams"},
        "receive": {"streams"},
        "clients": {"context", "streams"},
        "control": {"context", "media", "streams", "send", "receive", "clients"},
        "media_driver": {
            "options",
            "context",
            "media",
            "private_directories",
            "directory",
            "streams",
            "receive",
            "send",
            "clients",
            "control",
        },
    },
    "archive": {
        "protocol": set(),
        "storage": set(),
        "client": {"protocol", "storage"},
        "waiting": {"protocol", "client"},
        "persistent": {"protocol", "client", "waiting"},
        "async_archive": {"protocol", "client", "waiting"},
        "options": {"client"},
        "context": {"client", "options"},
        "sessions": {"protocol", "context"},
        "agents": set(),
        "recording": {"protocol", "storage", "context", "sessions", "agents"},
        "replay": {"protocol", "storage", "context", "sessions", "agents", "recording"},
        "replication": {
            "protocol",
            "storage",
            "client",
            "waiting",
            "context",
            "sessions",
            "recording",
        },
        "control": {
            "protocol",
            "storage",
            "context",
            "sessions",
            "agents",
            "recording",
            "replay",
            "replication",
        },
        "repair": {"storage", "replay"},
        "tools": {"storage", "control", "repair"},
        "archive": {
            "options",
            "storage",
            "context",
            "agents",
            "recording",
            "replay",
            "control",
            "repair",
        },
        "assembly": {"options", "context", "archive"},
    },
    "pipeline": {
        "optional_packages": set(),
        "files": set(),
        "columns": set(),
        "payloads": {"optional_packages", "columns"},
        "scan": {"optional_packages", "columns", "payloads"},
        "sources": {"files", "columns", "payloads", "scan"},
        "read": {"optional_packages", "files", "payloads", "scan", "sources"},
        "sink": {"optional_packages"},
        "jobs": {"optional_packages", "files", "columns", "scan", "sources"},
        "spark": {
            "optional_packages",
            "files",
            "columns",
            "payloads",
            "scan",
            "sources",
            "sink",
        },
    },
    "simulator": {
        "model": set(),
        "world": set(),
        "members": {"world"},
        "clients": {"world"},
        "cluster": {"world", "members", "clients"},
        "checks": {"model", "world", "members", "clients", "cluster"},
        "faults": {"world", "members", "cluster", "checks"},
        "endings": {"model", "world", "members", "clients", "cluster", "checks", "faults"},
        "trials": {"world", "members", "clients", "cluster", "checks", "faults", "endings"},
    },
    "cli": {
        "warning_filters": set(),
        "exit_codes": set(),
        "invocation": set(),
        "options": {"exit_codes"},
        "accounts": set(),
        "order_book": set(),
        "order_matching": {"order_book"},
        "latency": set(),
        "metrics": {"exit_codes", "options", "latency"},
        "processes": {"exit_codes", "options", "metrics"},
        "drivers": {"exit_codes", "options"},
        "members": {"exit_codes", "options", "drivers"},
        "page": {"options", "latency", "members", "metrics"},
        "archive": {"exit_codes", "options", "metrics"},
        "offline": {"exit_codes", "options", "processes"},
        "demo": {"exit_codes", "invocation", "options", "order_book", "latency", "processes"},
        "client": {"exit_codes", "options", "latency", "processes"},
        "local": {"exit_codes", "options", "processes", "members"},
        "new": {"exit_codes"},
        "doctor": {"exit_codes", "options"},
        "sim": {"exit_codes", "options"},
        "pipeline": {"exit_codes", "options", "processes"},
        "users": {"exit_codes"},
        "main": {"exit_codes", "options"},
        "__main__": {"main"},
    },
    "cluster.service": {
        "abi": set(),
        "checkpoint": set(),
        "divergence_guard": {"checkpoint"},
        "native_service": {"abi"},
        "host": {"abi", "divergence_guard"},
        "client_session": {"abi", "host"},
        "cluster": {"abi", "host", "client_session"},
        "session_batch": {"host", "client_session"},
        "clustered_service": {"client_session", "cluster", "session_batch"},
        "options": {"native_service", "clustered_service"},
        "checked_service": {"client_session", "cluster", "session_batch", "clustered_service"},
        "deduplication": {"client_session", "cluster"},
        "service_snapshot": {"client_session"},
        "service_calls": {"host", "client_session", "cluster", "clustered_service"},
        "batch_calls": {"cluster", "session_batch", "clustered_service", "service_calls"},
        "native_calls": {
            "abi",
            "native_service",
            "host",
            "client_session",
            "cluster",
            "clustered_service",
            "service_calls",
        },
        "service_agent": {"divergence_guard", "host", "cluster", "service_calls"},
        "container_context": {"native_service", "clustered_service", "options", "checked_service"},
        "service_counters": {"container_context"},
        "service_conductor": {
            "checkpoint",
            "divergence_guard",
            "native_service",
            "client_session",
            "cluster",
            "clustered_service",
            "service_snapshot",
            "service_calls",
            "batch_calls",
            "native_calls",
            "service_agent",
            "container_context",
            "service_counters",
        },
        "container": {
            "checkpoint",
            "divergence_guard",
            "cluster",
            "options",
            "container_context",
            "service_counters",
            "service_conductor",
        },
        "offline": {
            "checkpoint",
            "divergence_guard",
            "native_service",
            "client_session",
            "cluster",
            "clustered_service",
            "checked_service",
            "service_snapshot",
            "service_calls",
            "batch_calls",
            "native_calls",
            "service_agent",
        },
    },
    "pipeline.jobs": {
        "running": set(),
        "member_log": set(),
        "audits": {"running", "member_log"},
        "audit": {"running", "member_log", "audits"},
        "figures": {"running"},
        "pages": {"figures"},
        "latency": {"running", "figures", "pages"},
        "sessions": {"running", "figures", "pages"},
        "log_targets": set(),
        "state_at": {"running", "member_log", "log_targets"},
        "manifest": set(),
        "parquet_parts": {"figures", "manifest"},
        "compaction": {"running", "member_log", "manifest", "parquet_parts"},
        "compaction_check": {"running", "member_log", "manifest", "compaction"},
    },
}
# Rooms without a circle of imports between their modules; imports for types count.
ACYCLIC = (
    "memory",
    "codecs",
    "events",
    "logbuffer",
    "client",
    "cluster_client",
    "driver",
    "archive",
    "cluster",
    "simulator",
    "pipeline",
    "cli",
)
# Rooms with one module, the assembly, that may import the driver too.
ASSEMBLED = ("archive", "cluster_client", "cluster")
# These import the driver only for types, under TYPE_CHECKING.
TYPES_ALONE = ("aeron_cluster/cluster/node_options.py",)

# Modules that may access the system without the seams: memory creates the real ones, commands and
# Spark jobs are programs, and configuration is read before seams exist.
FREE_OF_SEAMS = (
    "aeron_cluster/memory/",
    "aeron_cluster/cli/",
    "aeron_cluster/pipeline/",
    "aeron_cluster/config.py",
    "aeron_cluster/version.py",
    # Hashes of strings are fixed per process: other ones need another process.
    "aeron_cluster/simulator/trials/other_hashes.py",
    # The running event loop provides the time.
    "aeron_cluster/archive/async_",
    "aeron_cluster/client/async_",
    "aeron_cluster/cluster_client/async_",
)
AMBIENT_MODULES = re.compile(
    r"(?:asyncio|concurrent|datetime|fcntl|mmap|multiprocessing|random|secrets|select|selectors"
    r"|shutil|signal|socket|subprocess|tempfile|threading|time|uuid)(?:\.|$)"
)
AMBIENT_CALLS = {"open", "read_text", "read_bytes", "write_text", "write_bytes"}
HARMLESS_OS = {
    "PathLike",
    "environ",
    "fsdecode",
    "fsencode",
    "fspath",
    "getpid",
    "path",
    "strerror",
}
AMBIENT_C = (
    r"(?<![\w.>*])(?:clock_gettime|fopen|fsync|ftruncate|getrandom|gettimeofday|mmap|msync|munmap"
    r"|nanosleep|open|pread|pthread_create|pwrite|s?rand|recvfrom|recvmmsg|sendmmsg|sendto|socket"
    r"|usleep)\s*\("
)
AMBIENT_HEADERS = r"<(?:sys/|time|fcntl|unistd|netinet|arpa|pthread)"


def tracked(*patterns: str) -> list[str]:
    """Return the tracked and the new files that match."""
    command = ["git", "ls-files", "--cached", "--others", "--exclude-standard", "--", *patterns]
    done = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True)
    return sorted(name for name in set(done.stdout.splitlines()) if (ROOT / name).is_file())


if not (ROOT / ".git").exists():
    pytest.skip("not a git work tree: the list of our files is unknown", allow_module_level=True)

PYTHON = tracked("aeron_cluster/**.py", "aeron_cluster/**.pyi")
CYTHON = tracked("aeron_cluster/**.pyx", "aeron_cluster/**.pxd")
HEADERS = tracked("include/**.h")
TESTS = tracked("tests/**.py")
TEXTS = [
    name
    for name in tracked()
    if Path(name).suffix not in {".bin", ".png", ".jar", ".gz", ".rec", ".dat"}
]


def text_of(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8", errors="replace")


def bare(text: str, language: str) -> str:
    """Blank comments and the content of strings, without moving lines."""
    if language == "cython":
        return bare_cython(text)
    pattern = r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"'
    return re.sub(pattern, lambda m: '""' + "\n" * m[0].count("\n"), text, flags=re.DOTALL)


def lines_where(text: str, pattern: str) -> list[str]:
    return [
        f"line {number}: {line.strip()}"
        for number, line in enumerate(text.splitlines(), 1)
        if re.search(pattern, line)
    ]


def failures(names, rule):
    """Apply a rule to files; report which file breaks it and how."""
    return [f"{name}: {found}" for name in names for found in rule(name, text_of(name))]


# ---- the order of the rooms -------------------------------------------------------------------


def imported_rooms(text: str) -> list[tuple[int, str, str]]:
    """Return (line, room, module) of each import and cimport of the package, in Python or
    Cython.
    """
    found = []
    pattern = re.compile(
        r"^\s*(?:from\s+(aeron_cluster[\w.]*)\s+c?import\s+\(?\s*([\w, ]*)"
        r"|c?import\s+(aeron_cluster[\w.]*))"
    )
    for number, line in enumerate(bare(text, "cython").splitlines(), 1):
        if not (match := pattern.match(line)):
            continue
        module = match[1] or match[3]
        if module == "aeron_cluster":
            rooms = re.findall(r"(\w+)(?:\s+as\s+\w+)?", match[2] or "")
            found += [(number, room, f"aeron_cluster.{room}") for room in rooms if room in ROOMS]
        else:
            found.append((number, module.split(".")[1], module))
    return found


def room_of(name: str) -> str:
    return Path(name).parts[1].split(".")[0] if len(Path(name).parts) > 1 else ""


def imports_below(name: str, text: str) -> list[str]:
    room = room_of(name)
    if room == "__init__":  # the package itself may name anything public
        return []
    if room not in ROOMS:
        return [f"no room {room!r} in the house"]
    allowed = ABOVE[room] | {room} | ({"driver"} if room in ASSEMBLED else set())
    return [
        f"line {line}: {room} may not import {module}"
        for line, other, module in imported_rooms(text)
        if other not in allowed
    ]


def assemblies(room: str, texts: dict[str, str]) -> set[str]:
    """Return the modules of a room that import the driver."""
    return {
        str(Path(name).with_suffix(""))
        for name, text in texts.items()
        if room_of(name) == room
        and name not in TYPES_ALONE
        and any(other == "driver" for _, other, _ in imported_rooms(text))
    }


def test_rooms_import_only_allowed_rooms():
    assert failures(PYTHON + CYTHON, imports_below) == []


def test_rooms_are_listed_after_those_that_they_import():
    rooms = list(ABOVE)
    for room, above in ABOVE.items():
        others = above | ({"driver"} if room in ASSEMBLED else set())
        assert others <= set(rooms[: rooms.index(room)]), room


@pytest.mark.parametrize("room", ASSEMBLED)
def test_one_module_of_a_room_assembles_the_driver(room):
    texts = {name: text_of(name) for name in PYTHON + CYTHON}
    assert len(assemblies(room, texts)) <= 1, assemblies(room, texts)


def running_imports(name: str, text: str, module: str) -> list[str]:
    """Find imports of a module outside ``if TYPE_CHECKING``."""
    tree = ast.parse(text)
    for_types = {
        each
        for node in ast.walk(tree)
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"
        for statement in node.body
        for each in ast.walk(statement)
    }
    return [
        f"{name}: line {node.lineno} imports {module} at run time"
        for node in ast.walk(tree)
        if isinstance(node, ast.Import | ast.ImportFrom) and node not in for_types
        for _, imported in imported_modules(ast.unparse(node))
        if f"{imported}.".startswith(f"{module}.")
    ]


def test_rooms_that_import_the_driver_for_types_do_not_load_it():
    for name in TYPES_ALONE:
        text = text_of(name)
        assert any(room == "driver" for _, room, _ in imported_rooms(text)), name
        assert running_imports(name, text, "aeron_cluster.driver") == []


def test_wrong_import_order_at_run_time_is_detected():
    for line in ("from aeron_cluster.driver.x import y", "from aeron_cluster import driver"):
        text = f"if TYPE_CHECKING:\n    {line}\nelse:\n    {line}\ndef f():\n    {line}\n"
        found = running_imports("x.py", text, "aeron_cluster.driver")
        assert [each.split()[2] for each in found] == ["4", "6"], line
    assert running_imports("x.py", "import aeron_cluster.drivers", "aeron_cluster.driver") == []


def test_wrong_import_order_is_detected():
    def rule(name, text):
        return imports_below(name, text)

    client = "aeron_cluster/client/aeron.pyx"
    assert (
        rule(client, "from aeron_cluster.logbuffer.x cimport y\nimport aeron_cluster.errors") == []
    )
    for line in (
        "from aeron_cluster.driver.send.sender cimport Sender",
        "cimport aeron_cluster.driver.send.sender",
        "from aeron_cluster import driver",
        "    from aeron_cluster.archive import catalog",
    ):
        assert len(rule(client, line)) == 1, line
    assert (
        rule(client, '"""from aeron_cluster.driver import x"""  # import aeron_cluster.driver')
        == []
    )
    assert rule("aeron_cluster/utils/x.py", "") == ["no room 'utils' in the house"]
    assert rule("aeron_cluster/archive/assembly.py", "from aeron_cluster.driver import x") == []
    twice = {
        f"aeron_cluster/archive/{name}": "import aeron_cluster.driver.x"
        for name in ("a.py", "b.pyx", "b.pxd")
    }
    assert assemblies("archive", twice) == {"aeron_cluster/archive/a", "aeron_cluster/archive/b"}


def part_of(module: str, folder: str) -> str:
    """Return the part of a folder, named from the package, that contains a module.

    It is '' for the folder itself and for modules outside of it.
    """
    place = f"aeron_cluster.{folder}."
    return module.removeprefix(place).partition(".")[0] if module.startswith(place) else ""


def module_of(name: str) -> str:
    """Return the dotted name of a file's module."""
    return ".".join(Path(name).with_suffix("").parts).removesuffix(".__init__")


def imports_against_the_parts(name: str, text: str) -> list[str]:
    found = []
    for folder, parts in PARTS.items():
        part = part_of(module_of(name), folder)
        if not part:  # a folder itself may name anything public
            continue
        if part not in parts:
            found.append(f"no part {part!r} in {folder}")
            continue
        place, allowed = f"aeron_cluster.{folder}", parts[part] | {part}
        found += [
            f"line {line}: {folder}.{part} may not import {module}"
            for line, module in imported_modules(text)
            if (module == place or module.startswith(f"{place}."))
            and part_of(module, folder) not in allowed
        ]
    return found


def imported_modules(text: str) -> list[tuple[int, str]]:
    """Return (line, dotted name) of each name that is imported or cimported from the package."""
    found = []
    pattern = re.compile(
        r"^[ \t]*(?:from\s+(aeron_cluster[\w.]*)\s+c?import\s+(\([^)]*\)|[^\n]*)"
        r"|c?import\s+(aeron_cluster[\w.]*))",
        re.MULTILINE,
    )
    plain = bare(text, "cython")
    for match in pattern.finditer(plain):
        line = plain.count("\n", 0, match.start()) + 1
        if match[3]:
            found.append((line, match[3]))
        else:
            names = re.findall(r"(\w+)(?:\s+as\s+\w+)?", match[2])
            found += [(line, f"{match[1]}.{name}") for name in names]
    return found


def circles(texts: dict[str, str]) -> list[set[str]]:
    """Return the sets of modules that import each other, directly or not."""
    modules = {module_of(name) for name in texts}
    reached: dict[str, set[str]] = {module: set() for module in modules}
    for name, text in texts.items():
        for _, imported in imported_modules(text):
            module = imported if imported in modules else imported.rpartition(".")[0]
            if module in modules - {module_of(name)}:
                reached[module_of(name)].add(module)
    order = graphlib.TopologicalSorter(reached)
    found = []
    while True:
        try:
            order.prepare()
        except graphlib.CycleError as error:
            circle = set(error.args[1])
            found.append(circle)
            for module in circle:
                reached[module] -= circle
            order = graphlib.TopologicalSorter(reached)
        else:
            return found


def test_the_parts_of_a_room_are_in_order():
    assert failures(PYTHON + CYTHON, imports_against_the_parts) == []
    for parts in PARTS.values():
        listed = list(parts)
        assert [
            (part, other)
            for part, allowed in parts.items()
            for other in allowed
            if listed.index(other) > listed.index(part)
        ] == []


def test_wrong_order_of_parts_is_detected():
    rule = imports_against_the_parts
    sender = "aeron_cluster/driver/send/sender.pyx"
    assert rule(sender, "from aeron_cluster.driver.streams.agent_queue cimport spsc_queue") == []
    assert rule(sender, "from aeron_cluster.driver.send.retransmit cimport on_nak") == []
    for line in (
        "from aeron_cluster.driver.receive.receiver cimport Receiver",
        "from aeron_cluster.driver import control",
        "import aeron_cluster.driver.media_driver",
        "if TYPE_CHECKING:\n    from aeron_cluster.driver.control import conductor",
        "from aeron_cluster.driver import (\n    streams,\n    receive,\n)",
    ):
        assert len(rule(sender, line)) == 1, line
    assert rule("aeron_cluster/driver/helpers.py", "") == ["no part 'helpers' in driver"]
    assert rule("aeron_cluster/driver/__init__.py", "import aeron_cluster.driver.control.x") == []
    assert (
        rule("aeron_cluster/memory/shared/x.pyx", "import aeron_cluster.memory.system.seams") == []
    )
    pages = "from aeron_cluster.pipeline.jobs.pages import page"
    assert rule("aeron_cluster/pipeline/jobs/latency.py", pages) == []
    assert len(rule("aeron_cluster/pipeline/jobs/audit.py", pages)) == 1
    assert len(rule("aeron_cluster/pipeline/read.py", pages)) == 1


@pytest.mark.parametrize("room", ACYCLIC)
def test_no_circle_of_imports_in_a_room(room):
    assert circles({name: text_of(name) for name in PYTHON + CYTHON if room_of(name) == room}) == []


def test_a_circle_of_imports_is_detected():
    a, b, c = (f"aeron_cluster/driver/control/{name}" for name in ("a.py", "b.pyx", "c.pyi"))
    texts = {
        a: "from aeron_cluster.driver.control.b import B",
        b: "if x:\n    from aeron_cluster.driver.control import (\n        c,  # first\n    )",
        c: '"""import aeron_cluster.driver.control.a"""',
    }
    assert circles(texts) == []
    texts[c] = "if TYPE_CHECKING:\n    import aeron_cluster.driver.control.a"
    folder = "aeron_cluster.driver.control"
    assert circles(texts) == [{f"{folder}.a", f"{folder}.b", f"{folder}.c"}]


# ---- oracles and their subjects ------------------------------------------------------------

# Where the simulator judges: all modules of these folders, and what members note.
ORACLES = re.compile(r"aeron_cluster/simulator/((checks|endings|model)/\w+|members/journal)\.py")
# What of the product they may import besides `errors`: names and layouts of messages, which are
# generated from schemas, names of states, and the base class of services, but no code that they
# check.
NAMES = {
    "aeron_cluster.codecs.cluster": None,
    "aeron_cluster.cluster.agent.module_status": {"ConsensusModuleState"},
    "aeron_cluster.cluster.election.election_state": {"ElectionState"},
    "aeron_cluster.cluster.members.role": {"Role"},
    "aeron_cluster.cluster.service.clustered_service": {"ClusteredService", "handles_batches"},
    "aeron_cluster.cluster.state.control_toggle": {"ControlToggle"},
    "aeron_cluster.memory.shared.counters_layout": {"CounterType"},
}
# Further ones of single modules, with the reason.
SHARED = {
    "checks/divergence_invariants.py": {
        "aeron_cluster.cluster.service.offline.divergence": "the checked function itself: it names"
        " the diverging member",
    },
    "checks/leaks.py": {
        "aeron_cluster.driver.media_driver": "the class of the checked drivers, to find those that"
        " did not end",
    },
    "checks/replays.py": {
        "aeron_cluster.cluster.service.offline.host": "services of users are run again by the"
        " offline host that ships with the product",
        "aeron_cluster.cluster.service.offline.source": "which reads the log and the snapshots for"
        " them",
    },
    "checks/service_errors.py": {
        "aeron_cluster.cluster.service.checkpoint": "names of the callbacks that the log causes",
    },
    "endings/judged_services.py": {
        "aeron_cluster.cluster.state.recording_log": "no judgement: it invalidates snapshots, so"
        " that the next process replays the log",
    },
    "endings/offered_snapshots.py": {
        "aeron_cluster.cluster.state.recording_log": "no judgement: it invalidates the snapshot of"
        " the member that a standby offers one to",
        "aeron_cluster.memory.system.seams": "no judgement: the random numbers of what is done",
    },
    "endings/refused_backup.py": {
        "aeron_cluster.client.credentials": "no judgement: those of the refused backup",
        "aeron_cluster.client.security": "no judgement: the authenticator that refuses it",
    },
    **{
        f"endings/{name}.py": {
            "aeron_cluster.memory.system.seams": "no judgement: the random numbers of what is done",
        }
        for name in (
            "cut_snapshot",
            "failover",
            "fewer_services",
            "known_members",
            "last_loss",
            "late_reports",
            "left_sessions",
            "open_claim",
            "stalled_driver",
            "unsynced_losses",
        )
    },
}


def imported_by_oracles(name: str, text: str) -> list[str]:
    """Find forbidden imports of an oracle; imports only for types are allowed."""
    if not ORACLES.fullmatch(name):
        return []
    shared = SHARED.get(name.removeprefix("aeron_cluster/simulator/"), {})
    return [
        f"line {line}: an oracle may not import {module}"
        for line, module, names in imports_of_product(text)
        if module not in shared
        and not (module in NAMES and (NAMES[module] is None or names <= NAMES[module]))
    ]


def imports_of_product(text: str) -> list[tuple[int, str, set[str]]]:
    """Return line, module and names of each import of the product that is not only for types."""
    running = ast.parse(text)
    running.body = [each for each in running.body if not isinstance(each, ast.If)]
    found = []
    for node in ast.walk(running):
        if isinstance(node, ast.ImportFrom):
            found.append((node.lineno, node.module or "", {each.name for each in node.names}))
        elif isinstance(node, ast.Import):
            found += [(node.lineno, each.name, {"*"}) for each in node.names]
    return [
        each
        for each in found
        if each[1].partition(".")[0] == "aeron_cluster"
        and not f"{each[1]}.".startswith(("aeron_cluster.simulator.", "aeron_cluster.errors."))
    ]


def test_oracles_share_no_code_with_their_subjects():
    assert failures(PYTHON, imported_by_oracles) == []
    name = "aeron_cluster/simulator/checks/invariants.py"
    quorum = "from aeron_cluster.cluster.members.quorum import quorum_threshold"
    for text in (
        quorum,
        "import aeron_cluster.cluster.members.quorum",
        "from aeron_cluster import AeronCluster",
        "from aeron_cluster.cluster.members.role import Role, role_of",
    ):
        assert len(imported_by_oracles(name, text)) == 1, text
    assert imported_by_oracles("aeron_cluster/simulator/trials/trial.py", quorum) == []
    typing = "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    " + quorum
    assert imported_by_oracles(name, typing) == []


def test_each_exception_of_an_oracle_is_one():
    for name, modules in SHARED.items():
        path = f"aeron_cluster/simulator/{name}"
        found = imports_of_product((ROOT / path).read_text())
        assert set(modules) <= {module for _, module, _ in found}, name
        assert all(modules.values()), name


# ---- the seams --------------------------------------------------------------------------------


def ambient_python(name: str, text: str) -> list[str]:
    """Find time, randomness, network, threads and files that were not passed in."""
    del name
    found = []
    for node in ast.walk(ast.parse(text)):
        modules: list[str] = []
        match node:
            case ast.Import():
                modules = [alias.name for alias in node.names]
            case ast.ImportFrom(module=str(module), level=0):
                modules = [module]
            case ast.Attribute(value=ast.Name(id="os"), attr=attribute):
                if attribute not in HARMLESS_OS:
                    found.append(f"line {node.lineno}: os.{attribute}")
            case ast.Call(func=ast.Name(id="open") | ast.Attribute(attr="open", value=ast.Call())):
                found.append(f"line {node.lineno}: open()")
            case ast.Call(func=ast.Attribute(attr=attribute)) if attribute in AMBIENT_CALLS - {
                "open"
            }:
                found.append(f"line {node.lineno}: {attribute}()")
        found += [
            f"line {node.lineno}: import {module}"
            for module in modules
            if AMBIENT_MODULES.match(module)
        ]
    return found


def ambient_cython(name: str, text: str) -> list[str]:
    del name
    plain = bare(text, "cython")
    calls = [line for line in lines_where(plain, AMBIENT_C) if not re.search(r": c?p?def ", line)]
    return (
        lines_where(plain, rf"^\s*(?:import|from)\s+{AMBIENT_MODULES.pattern.replace('$', ' |$')}")
        + lines_where(plain, r"^\s*(?:cimport|from)\s+(?:posix|libc\.time)\b")
        + lines_where(text, rf"^\s*cdef\s+extern\s+from\s+\"?{AMBIENT_HEADERS}")
        + calls
    )


def ambient_c(name: str, text: str) -> list[str]:
    del name
    return lines_where(bare(text, "c"), AMBIENT_C) + lines_where(
        text, rf"#\s*include\s+{AMBIENT_HEADERS}"
    )


# The real seams of memory, which only memory may use.
REAL_SEAMS = "include/aeron_cluster/system.h"


def names_real_seams(name: str, text: str) -> list[str]:
    del name
    return lines_where(text, r"aeron_cluster/system\.h")


def seamed(names: list[str]) -> list[str]:
    return [name for name in names if not name.startswith(FREE_OF_SEAMS)]


def test_the_system_is_accessed_only_through_the_seams():
    modules = [name for name in seamed(PYTHON) if name.endswith(".py")]
    assert failures(modules, ambient_python) == []
    assert failures(seamed(CYTHON), ambient_cython) == []
    assert failures([name for name in HEADERS if name != REAL_SEAMS], ambient_c) == []
    assert failures(seamed(CYTHON) + HEADERS, names_real_seams) == []


def test_bypassing_the_seams_is_detected():
    for text in (
        "import time",
        "from random import Random",
        "import os\nos.unlink('x')",
        "open('x')",
        "path.read_bytes()",
        "from concurrent.futures import ThreadPoolExecutor",
    ):
        assert len(ambient_python("", text)) == 1, text
    assert ambient_python("", "import os\nos.getpid()\nfiles.open('x')\n'import time'") == []
    for text in (
        "from libc.time cimport time_t",
        "from posix.fcntl cimport open",
        'cdef extern from "<sys/socket.h>":',
        "    now = clock_gettime(CLOCK_MONOTONIC, &ts)",
        "import threading",
    ):
        assert len(ambient_cython("", text)) == 1, text
    fine = "files.ops.open(files.state, path)  # open(path)\nreopen(x)\ndef open(path):"
    assert ambient_cython("", fine) == []
    for text in ("int fd = open(path, 0);", "#include <sys/socket.h>", "clock_gettime(0, &t);"):
        assert len(ambient_c("", text)) == 1, text
    assert ambient_c("", "int64_t (*open)(void *state);\nclock->time(x); /* open(x) */") == []


# ---- Cython -----------------------------------------------------------------------------------

C_TYPES = re.compile(
    r"^(?:const\s+)?(?:unsigned\s+|signed\s+)?(?:void|bint|bool|char|short|int|long|float|double"
    r"|size_t|ssize_t|Py_ssize_t|u?int(?:8|16|32|64|ptr)_t)\b|\*"
)


def silent_about_exceptions(name: str, text: str) -> list[str]:
    """Find C functions that leave their exception clause to the default."""
    del name
    return [
        f"line {signature.line}: {signature.name} declares nothing about exceptions"
        for signature in signatures(text)
        if C_TYPES.search(signature.returns) and not signature.has_exception_clause
    ]


def is_generated(name: str) -> bool:
    return "Generated from" in text_of(name).split("\n", 2)[0]


def test_every_c_function_declares_its_exceptions():
    assert failures(CYTHON, silent_about_exceptions) == []


def test_a_default_exception_clause_is_detected():
    for text in (
        "cdef int count(int x) nogil:",
        "cdef inline int64_t position(\n    const uint8_t *log,\n    int32_t offset,\n) nogil:",
        "    cpdef bint is_open(self):",
        "cdef void leaf():",
        "cdef const char *name():",
        "cdef int32_t declared(int x)",
    ):
        assert len(silent_about_exceptions("", text)) == 1, text
    for text in (
        "cdef int count(int x) noexcept nogil:",
        "cdef int opened(\n    str path\n) except -1:",
        "cdef Image image(self):",
        "cdef object payload(int x):",
        "cdef char *named() except NULL:",
        'cdef extern from "x.h" nogil:\n    int f(int x)\n    cdef int g(int x)\n',
        "cdef class Image(object):",
        "cdef int x = call(1)",
    ):
        assert silent_about_exceptions("", text) == [], text


def seen_by_python(text: str) -> bool:
    return bool(
        re.search(r"(?m)^\s*(?:def|async def|cpdef|class|cdef class)\s", bare(text, "cython"))
    )


def test_each_module_visible_to_python_has_a_stub():
    stubs = set(PYTHON)
    modules = [name for name in CYTHON if name.endswith(".pyx") and seen_by_python(text_of(name))]
    assert [name for name in modules if f"{name[:-4]}.pyi" not in stubs] == []


def test_python_files_are_checked():
    assert seen_by_python("cdef class Image:\n    pass")
    assert seen_by_python("    def poll(self): ...")
    assert not seen_by_python('"""def x"""\ncdef int poll() noexcept nogil:\n    return 0')


def careless_cython(name: str, text: str) -> list[str]:
    """Find what ruff finds in Python: blanket handlers, includes, relative imports."""
    del name
    plain = bare(text, "cython")
    blanket = re.compile(
        r"^( *)except\s*(?:Exception|BaseException)?(?:\s+as\s+(\w+))?\s*:"
        r"(.*\n(?:\1 +.*\n|\n)*)",
        re.MULTILINE,
    )
    swallowed = [
        f"line {plain[: match.start()].count(chr(10)) + 1}: catches everything and drops it"
        for match in blanket.finditer(plain + "\n")
        if not re.search(rf"^\s*raise$|\b{match[2] or 'raise'}\b", match[3], re.MULTILINE)
    ]
    return swallowed + lines_where(plain, r"^\s*include\s") + lines_where(plain, r"^\s*from\s+\.")


CLASS = re.compile(r"^((?:@.*\n)*)cdef class (\w+).*:\n((?:(?:[ ].*)?\n)*)", re.MULTILINE)
SEAM_CALL = re.compile(r"\.ops\.\w+\(|\bself\.close\(|\bself\._close_\w+\(")


def seams_after_clearing(name: str, text: str) -> list[str]:
    """Find classes that call a seam while freed, but whose seam a garbage collection may clear
    before.
    """
    del name
    found = []
    for decorators, cls, body in CLASS.findall(bare(text, "cython") + "\n"):
        freeing = body.partition("def __dealloc__(self)")[2].partition("\n    def ")[0]
        if ".ops." in body and SEAM_CALL.search(freeing) and "@cython.no_gc" not in decorators:
            found.append(f"{cls}: calls a seam in __dealloc__ without @cython.no_gc_clear")
    return found


def test_a_freed_object_still_has_its_seams():
    assert failures([name for name in CYTHON if name.endswith(".pyx")], seams_after_clearing) == []


def test_possibly_missing_seam_is_detected():
    body = (
        "cdef class A:\n    def __dealloc__(self):\n        self.close()\n\n"
        "    def close(self):\n        self.c.ops.close(1)\n"
    )
    assert len(seams_after_clearing("", "@cython.final\n" + body)) == 1
    assert len(seams_after_clearing("", body.replace("self.close()", "self.c.ops.close(2)"))) == 1
    assert seams_after_clearing("", "@cython.no_gc_clear\n" + body) == []
    assert seams_after_clearing("", body.replace("self.close()", "free(self.c)")) == []


# Only of a member; a separately allocated array of buffers is not cleared.
BUFFER_RELEASE = re.compile(r"PyBuffer_Release\(&self\.\w+\)")


def buffers_after_clearing(name: str, text: str) -> list[str]:
    """Find classes that release a buffer when freed, but whose buffer a garbage collection may
    clear before.

    Cython's generated code that clears a cycle drops the exporter of a `Py_buffer` member: its
    count of exports stays, and its memory may be freed while objects of the same cycle still use
    it.
    """
    del name
    return [
        f"{cls}: releases a buffer in __dealloc__ without @cython.no_gc_clear"
        for decorators, cls, body in CLASS.findall(bare(text, "cython") + "\n")
        if BUFFER_RELEASE.search(body) and "@cython.no_gc" not in decorators
    ]


def test_a_freed_object_still_has_its_buffers():
    sources = [name for name in CYTHON if name.endswith(".pyx")]
    assert failures(sources, buffers_after_clearing) == []


def test_a_buffer_that_may_be_dropped_is_detected():
    body = "cdef class A:\n    def __dealloc__(self):\n        PyBuffer_Release(&self.memory)\n"
    assert len(buffers_after_clearing("", "@cython.final\n" + body)) == 1
    assert buffers_after_clearing("", "@cython.no_gc_clear\n" + body) == []
    assert buffers_after_clearing("", body.replace("&self.memory", "&memory")) == []


def test_cython_follows_the_rules():
    sources = [name for name in CYTHON if not is_generated(name)]
    assert failures(sources, careless_cython) == []
    assert tracked("*.pxi") == []


def test_careless_cython_is_detected():
    for text in ("    except:", "    except Exception: pass", 'include "x.pxi"', "from . import x"):
        assert len(careless_cython("", text)) == 1, text
    for text in (
        "except OSError:\n# except:\n'include x'",
        "    except BaseException:\n        files.remove(path)\n        raise\n",
        "    except BaseException as error:\n        call.error = error\n",
    ):
        assert careless_cython("", text) == [], text


# ---- every file -------------------------------------------------------------------------------

# Split, since this file would break its own rule otherwise.
FORBIDDEN = re.compile(
    "|".join(
        [
            r"(?<![\w./~$])/(?:wo" + r"rk|ro" + r"ot|fa" + r"rm|ho" + r"me/[a-z])[/\w]",
            r"py" + r"pi\.org|python" + r"hosted|repo1?\.ma" + r"ven|cra" + r"tes\.io|np" + r"mjs",
            r"proxy\.gol" + r"ang|bash_" + r"jobs",
        ]
    )
)


def names_a_place(name: str, text: str) -> list[str]:
    del name
    return lines_where(text, FORBIDDEN.pattern)


def test_no_file_names_a_machine_or_a_registry():
    assert failures(TEXTS, names_a_place) == []


def test_machine_path_or_registry_is_detected():
    for text in ("cd /wo" + "rk/main", "'/ro" + "ot/x'", "https://py" + "pi.org/simple"):
        assert len(names_a_place("", text)) == 1, text
    assert names_a_place("", "docs/work/main and frame/rooted, and ./work/x") == []


GENERATED = re.compile(
    r"^(?:#|//|/\*|<!--) Generated from (?P<sources>\S.*) by (?P<tool>tools/\w+\.py)\."
    r" Edit \S.*, run \S.*\."
)


def badly_generated(name: str, text: str) -> list[str]:
    """Check the first line of a generated file; the files that it names must exist."""
    del name
    first = text.split("\n", 1)[0]
    if not re.match(r"^(?:#|//|/\*|<!--)\s*Generated\b", first, re.IGNORECASE):
        return []
    if not (match := GENERATED.match(first)):
        return [f"expected 'Generated from X by tools/Y. Edit X, run Y.', found {first!r}"]
    if not (ROOT / match["tool"]).exists():
        return [f"its generator {match['tool']} is missing"]
    return []


def test_generated_files_name_their_source_and_generator():
    assert failures(TEXTS, badly_generated) == []


def test_a_bad_header_line_is_detected():
    good = (
        "# Generated from a.xml by tools/requirements.py. Edit a.xml, run tools/requirements.py.\n"
    )
    assert badly_generated("", good) == []
    assert len(badly_generated("", "# Generated by magic\n")) == 1
    assert len(badly_generated("", good.replace("requirements", "nothing"))) == 1


def sleeping(name: str, text: str) -> list[str]:
    """Find tests that wait for time instead of a condition."""
    del name
    return [
        f"line {node.lineno}: sleeps"
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.Call)
        and (
            (isinstance(node.func, ast.Attribute) and node.func.attr == "sleep")
            or (isinstance(node.func, ast.Name) and node.func.id == "sleep")
        )
    ]


def test_no_test_sleeps():
    assert failures(TESTS, sleeping) == []


def test_a_sleeping_test_is_detected():
    assert len(sleeping("", "import time\ntime.sleep(1)")) == 1
    assert len(sleeping("", "from time import sleep\nsleep(1)")) == 1
    assert sleeping("", "idle.sleep_ns = 3") == []


def unfinished(name: str, text: str) -> list[str]:
    """Find comments that promise work."""
    del name
    marks = "TO" + "DO", "FIX" + "ME", "XX" + "X"
    return lines_where(text, rf"\b(?:{'|'.join(marks)})\b")


def test_no_comment_announces_unfinished_work():
    assert failures(PYTHON + CYTHON + HEADERS + TESTS, unfinished) == []


def test_unfinished_work_is_detected():
    assert len(unfinished("", "# TO" + "DO: later")) == 1


def computing(name: str, text: str) -> list[str]:
    """Find anything in an ``__init__.py`` except a docstring, imports and the list of exported
    names.
    """
    del name
    found = []
    for node in ast.parse(text).body:
        match node:
            case ast.Import() | ast.ImportFrom() | ast.Expr(value=ast.Constant(value=str())):
                continue
            case ast.Assign(targets=[ast.Name(id="__all__")]):
                continue
            case ast.Assign(value=ast.Call(func=ast.Name(id="export"))):
                continue
            case _:
                found.append(f"line {node.lineno}: computes")
    return found


def test_init_files_name_public_objects_and_compute_nothing():
    inits = [name for name in PYTHON if name.endswith("__init__.py")]
    assert failures(inits, computing) == []


def test_a_computing_init_is_detected():
    assert computing("", '"""Doc."""\nfrom x import y\n__all__ = ["y"]') == []
    assert len(computing("", "import os\nX = os.getpid()\ndef f(): ...")) == 2


def is_empty_tuple(node: ast.expr | None) -> bool:
    match node:
        case ast.Tuple(elts=[]) | ast.Call(func=ast.Name(id="tuple"), args=[], keywords=[]):
            return True
    return False


def empty_members(name: str, text: str) -> list[str]:
    """Find members of enumerations with an empty tuple: CPython 3.11.2, of Debian 12, has an
    ``object()`` in its place.
    """
    del name
    tree = ast.parse(text)
    empty = {
        target.id
        for node in tree.body
        if isinstance(node, ast.Assign) and is_empty_tuple(node.value)
        for target in node.targets
        if isinstance(target, ast.Name)
    }
    return [
        f"line {each.lineno}: an empty tuple as a member"
        for node in ast.walk(tree)
        if isinstance(node, ast.ClassDef)
        and any(ast.unparse(base).endswith(("Enum", "Flag")) for base in node.bases)
        for each in node.body
        if isinstance(each, ast.Assign | ast.AnnAssign)
        and "__slots__" not in ast.unparse(each)
        and (is_empty_tuple(each.value) or getattr(each.value, "id", None) in empty)
    ]


def test_no_enumeration_has_an_empty_tuple():
    names = tracked("aeron_cluster/**.py", "tests/**.py", "tools/**.py", "benchmarks/**.py")
    names += tracked("examples/**.py", "*.py")
    assert failures(names, empty_members) == []


def test_an_empty_tuple_in_an_enumeration_is_detected():
    bad = "NO = ()\nclass A(enum.Enum):\n  __slots__ = ()\n  X = ()\n  Y = tuple()\n  Z = NO\n"
    assert [each.split(":")[0] for each in empty_members("", bad)] == ["line 4", "line 5", "line 6"]
    assert empty_members("", "class A(Enum):\n  X = ('a',)\nclass B:\n  X = ()\n") == []


def test_every_source_file_is_text_ending_in_a_newline():
    for name in PYTHON + CYTHON + HEADERS:
        content = (ROOT / name).read_bytes()
        assert not content or content.endswith(b"\n"), name
        if name.endswith(".py"):
            list(tokenize.tokenize(io.BytesIO(content).readline))


def test_importing_the_package_is_cheap_and_starts_nothing():
    code = (
        "import sys, threading, signal, time; before = signal.getsignal(signal.SIGTERM);"
        "began = time.process_time(); import aeron_cluster; took = time.process_time() - began;"
        "assert threading.active_count() == 1;"
        "assert signal.getsignal(signal.SIGTERM) is before;"
        "assert not {'numpy', 'rich', 'click'} & set(sys.modules), sys.modules.keys();"
        "print(took)"
    )
    took = []
    for _ in range(5):
        done = subprocess.run(
            [sys.executable, "-c", code], check=False, cwd=ROOT, capture_output=True, text=True
        )
        assert done.returncode == 0, done.stderr
        took.append(float(done.stdout))
    assert min(took) < 0.1


def test_only_these_newer_fields_are_read_in_place():
    """Accessors of the generated header return null values as they are."""
    text = "".join(
        path.read_text()
        for room in ("archive", "cluster_client", "cluster")
        for path in sorted((ROOT / "aeron_cluster" / room).rglob("*.pyx"))
    )
    read = {
        name
        for name, (kind, _) in newer_fields().items()
        if f"{snake(kind.name)}_{name.rpartition('.')[2]}(message" in text
    }
    assert read == {"cluster.AppendPosition.flags"}


def snake(name):
    return "".join(f"_{each.lower()}" if each.isupper() else each for each in name).lstrip("_")
