"""Run Aeron's own system tests on the media driver of this package, and write their results.

``make conformance AERON=path`` compiles the tests of a source tree of the release (the tree itself
never enters the project) against the jars from Maven, runs each class in a separate JVM, stores
the outcomes in ``docs/conformance.json`` and writes ``docs/conformance.md`` from them. Classes
whose reports are still in the build folder are not repeated, so that an interrupted run can be
continued; failed ones come first if they are repeated.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
import tomllib
import xml.etree.ElementTree as ET  # parses only files that JUnit has just written
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).resolve().parent.parent
BUILD: Final = ROOT / "build" / "conformance"
PAGE: Final = ROOT / "docs" / "conformance.md"
STORE: Final = ROOT / "docs" / "conformance.json"
VERSION: Final = "1.51.0"
GROUPS: Final = ("transport", "driver", "archive", "cluster")
PEER: Final = "peer"
OURS: Final = "ours"

_CLASS_TIMEOUT_S: Final = 1800
_LONGEST_REASON: Final = 240
# Module and version key of each jar; the versions are read from the tree.
_JARS: Final = (
    ("org.junit.platform:junit-platform-console-standalone", "junit"),
    ("org.hamcrest:hamcrest", "hamcrest"),
    ("org.mockito:mockito-core", "mockito"),
    ("net.bytebuddy:byte-buddy", "byteBuddy"),
    ("net.bytebuddy:byte-buddy-agent", "byteBuddy"),
    ("com.google.code.findbugs:findbugs-annotations", "findbugs"),
)
_SOURCES: Final = ("aeron-test-support/src/main/java", "aeron-system-tests/src/test/java")
_TEST: Final = re.compile(r"@(?:Test|ParameterizedTest|RepeatedTest|TestFactory|TestTemplate)\b")
# Of classes that no run has.
_LEFT_OUT: Final = {
    "ClusterNetworkPartitionTest": "upstream disables it: it changes the host's `iptables`",
    "ClusterNetworkTopologyTest": "it starts its members on three other hosts",
    "ExperimentalDriverFeaturesTest": "it has no test in this release",
}
# By the beginning of a test's name with its class.
_REASONS: Final[dict[str, str]] = {}
_HELPERS: Final = ("aeron-archive/src/test/java", "aeron-client/src/test/java")
_JVM: Final = (
    "--add-opens=java.base/jdk.internal.misc=ALL-UNNAMED",
    "--add-opens=java.base/java.util.zip=ALL-UNNAMED",
    "-XX:MaxDirectMemorySize=2g",
    "-Xmx1g",
    "-XX:+UseSerialGC",
    "-XX:-UsePerfData",
)
# The same as in the build of the release.
_PROPERTIES: Final = {
    "java.util.logging.config.class": "io.aeron.test.DisableJavaUtilLogging",
    "aeron.shared.idle.strategy": "yield",
    "aeron.conductor.idle.strategy": "yield",
    "aeron.sender.idle.strategy": "yield",
    "aeron.receiver.idle.strategy": "yield",
    "aeron.timer.interval": "100ms",
    "aeron.dir.delete.on.start": "true",
    "aeron.term.buffer.sparse.file": "true",
    "aeron.perform.storage.checks": "false",
    "agrona.strict.alignment.checks": "true",
    "net.bytebuddy.experimental": "true",
    "java.net.preferIPv4Stack": "true",
    "aeron.fallback.logger": "no_op",
}


class ConformanceError(Exception):
    """A requirement of the run is missing, or an argument is wrong."""


@dataclass
class Outcome:
    """The result of a class.

    Attributes
    ----------
    passed : int
    skipped : dict of str to str
        The reason of each test that was skipped, by its name.
    failed : dict of str to str
        The reason of each failure, by the name of the test.
    """

    passed: int = 0
    skipped: dict[str, str] = field(default_factory=dict)
    failed: dict[str, str] = field(default_factory=dict)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the requested classes; return 1 if a test failed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("tree", type=Path, help=f"a source tree of Aeron {VERSION}")
    parser.add_argument(
        "classes",
        nargs="*",
        default=GROUPS[:-1],
        help=f"class names, or of {', '.join(GROUPS)}; default all but the last",
    )
    parser.add_argument("--again", choices=["failed", "all"], help="classes to run again")
    parser.add_argument("--peer", type=Path, help="another driver's executable, for comparison")
    parser.add_argument("--page-only", action="store_true", help="only write the page")
    requested = parser.parse_intermixed_args(arguments)
    try:
        found = find_classes(requested.tree)
        names = choose(requested.classes, found)
        if not requested.page_only:
            class_path = prepare(requested.tree)
            drivers = {OURS: write_launcher()}
            if requested.peer is not None:
                drivers[PEER] = requested.peer.resolve()
            for kind, driver in drivers.items():
                run_all(names, kind, driver, class_path, requested.again)
    except ConformanceError as error:
        sys.stderr.write(f"error: {error}\n")
        return 2
    outcomes = {kind: read_stored(kind) | read_outcomes(kind) for kind in (OURS, PEER)}
    write_stored(outcomes)
    PAGE.write_text(render(outcomes[OURS], outcomes[PEER]))
    print(f"wrote {PAGE.relative_to(ROOT)}")
    return int(any(outcomes[OURS][name].failed for name in names if name in outcomes[OURS]))


def find_classes(tree: Path) -> list[str]:
    """Return the full names of the classes with tests that one host can run.

    Raises
    ------
    ConformanceError
        The tree is not one of the release.
    """
    version = tree / "version.txt"
    if not version.exists() or version.read_text().strip() != VERSION:
        raise ConformanceError(f"{tree}: expected a source tree of Aeron {VERSION}")
    root = tree / _SOURCES[1]
    found = []
    for path in sorted(root.rglob("*Test.java")):
        text = path.read_text()
        if path.stem in _LEFT_OUT or _TEST.search(text) is None:
            continue
        name = ".".join(path.relative_to(root).with_suffix("").parts)
        if re.search(rf"\babstract class {path.stem}\b", text) is None:
            found.append(name)
        else:
            nested = re.findall(rf"\bstatic class (\w+) extends {path.stem}\b", text)
            found += [f"{name}${each}" for each in nested]
    return found


def group_of(name: str) -> str:
    """Return the group of a class, by its full name."""
    package = name.split(".")[2]
    return package if package in GROUPS else GROUPS[0]


def choose(requested: Iterable[str], found: Sequence[str]) -> list[str]:
    """Return the requested classes, by group, simple name or full name.

    Raises
    ------
    ConformanceError
        A name matches no class.
    """
    names: list[str] = []
    for each in requested:
        chosen = [
            name
            for name in found
            if each in (group_of(name), name, *re.split(r"[.$]", name)[-1 - ("$" in name) :])
        ]
        if not chosen:
            raise ConformanceError(f"expected a class of tests or a group, found {each!r}")
        names += [name for name in chosen if name not in names]
    return names


def prepare(tree: Path) -> str:
    """Fetch the jars, compile the tests, and return the class path."""
    for program in ("java", "javac", "mvn"):
        if shutil.which(program) is None:
            raise ConformanceError(f"expected {program} on the path (a JDK 17 and Maven)")
    jars = BUILD / "lib"
    if not (jars / "complete").exists():
        _fetch(tree, jars)
    class_path = os.pathsep.join(str(each) for each in sorted(jars.glob("*.jar")))
    classes = BUILD / "classes"
    if not (classes / "complete").exists():
        sources = [str(each) for part in _SOURCES for each in (tree / part).rglob("*.java")]
        shutil.rmtree(classes, ignore_errors=True)
        classes.mkdir(parents=True)
        helpers = os.pathsep.join(str(tree / each) for each in _HELPERS)
        options = ["-nowarn", "-proc:none", "-cp", class_path, "-sourcepath", helpers]
        _run(["javac", *options, "-d", str(classes), *sources])
        (classes / "complete").touch()
    return f"{classes}{os.pathsep}{class_path}"


def _fetch(tree: Path, jars: Path) -> None:
    versions = tomllib.loads((tree / "gradle" / "libs.versions.toml").read_text())["versions"]
    wanted = [("io.aeron:aeron-all", VERSION)] + [(jar, versions[key]) for jar, key in _JARS]
    dependencies = "".join(
        "<dependency><groupId>{}</groupId><artifactId>{}</artifactId>".format(*jar.split(":"))
        + f"<version>{version}</version></dependency>"
        for jar, version in wanted
    )
    BUILD.mkdir(parents=True, exist_ok=True)
    (BUILD / "pom.xml").write_text(
        '<project xmlns="http://maven.apache.org/POM/4.0.0"><modelVersion>4.0.0</modelVersion>'
        "<groupId>local</groupId><artifactId>conformance</artifactId><version>1</version>"
        f"<dependencies>{dependencies}</dependencies></project>\n"
    )
    _run(["mvn", "-q", "-B", "dependency:copy-dependencies", f"-DoutputDirectory={jars}"])
    (jars / "complete").touch()


def _run(command: list[str]) -> None:
    done = subprocess.run(command, check=False, cwd=BUILD, capture_output=True, text=True)
    if done.returncode != 0:
        text = (done.stdout + done.stderr)[-2000:]
        raise ConformanceError(f"{command[0]} ended with {done.returncode}: {text}")


def write_launcher() -> Path:
    """Write an executable that runs this tree's ``aeronmd``, and return its path."""
    launcher = BUILD / "aeronmd"
    launcher.write_text(
        f'#!/bin/sh\nexec env PYTHONPATH="{ROOT}" PYTHONSAFEPATH=1 "{sys.executable}" '
        '-m aeron_cluster.cli.processes.aeronmd "$@"\n'
    )
    launcher.chmod(0o755)
    return launcher


def run_all(names: list[str], kind: str, driver: Path, class_path: str, again: str | None) -> None:
    """Run the classes without a result and those to be repeated; failed ones first."""
    before = read_outcomes(kind)
    failed = [name for name in names if name in before and before[name].failed]
    fresh = [name for name in names if name not in before]
    passed = [name for name in names if name in before and not before[name].failed]
    due = failed * (again in ("failed", "all")) + fresh + passed * (again == "all")
    for index, name in enumerate(due, 1):
        began = time.monotonic()
        run_class(name, kind, driver, class_path)
        outcome = read_outcomes(kind).get(name, Outcome())
        print(
            f"{index}/{len(due)} {kind} {name}: {outcome.passed} passed, "
            f"{len(outcome.failed)} failed, {len(outcome.skipped)} skipped "
            f"({time.monotonic() - began:.0f} s)",
            flush=True,
        )


def run_class(name: str, kind: str, driver: Path, class_path: str) -> None:
    """Run one class in a separate JVM; its report and output stay in the build folder."""
    folder = BUILD / kind / name
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    mockito = next((BUILD / "lib").glob("mockito-core-*.jar"))
    properties = _PROPERTIES | {"aeron.test.system.aeronmd.path": str(driver)}
    command = ["java", *_JVM, f"-javaagent:{mockito}"]
    command += [f"-D{key}={value}" for key, value in properties.items()]
    command += ["-cp", class_path, "org.junit.platform.console.ConsoleLauncher", "execute"]
    command += ["--select-class", name, "--exclude-tag", "topology"]
    command += ["--reports-dir", str(folder), "--details", "none", "--disable-banner"]
    with (folder / "output.txt").open("wb") as output:
        process = subprocess.Popen(
            command, cwd=folder, stdout=output, stderr=subprocess.STDOUT, start_new_session=True
        )
        try:
            process.wait(_CLASS_TIMEOUT_S)
        except subprocess.TimeoutExpired:
            (folder / "timeout").touch()
        finally:
            # The JVM and the drivers that it started.
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()


def read_stored(kind: str) -> dict[str, Outcome]:
    """Return the stored outcomes of a kind, by class."""
    stored = json.loads(STORE.read_text()) if STORE.exists() else {}
    return {name: Outcome(**fields) for name, fields in stored.get(kind, {}).items()}


def write_stored(outcomes: dict[str, dict[str, Outcome]]) -> None:
    """Store the outcomes of each kind, by class."""
    content = {
        kind: {name: asdict(each) for name, each in sorted(by_class.items())}
        for kind, by_class in outcomes.items()
    }
    STORE.write_text(json.dumps(content, indent=1) + "\n")


def read_outcomes(kind: str) -> dict[str, Outcome]:
    """Return the contents of the reports of a kind, by class."""
    outcomes = {}
    for folder in sorted((BUILD / kind).glob("*")):
        report = folder / "TEST-junit-jupiter.xml"
        if report.exists():
            outcomes[folder.name] = read_report(report.read_text())
        elif (folder / "timeout").exists():
            reason = f"the class did not end in {_CLASS_TIMEOUT_S} s"
            outcomes[folder.name] = Outcome(failed={"(all)": reason})
    return outcomes


def read_report(text: str) -> Outcome:
    """Return the outcome in a report of JUnit's."""
    outcome = Outcome()
    for case in ET.fromstring(text).iter("testcase"):
        nested = case.get("classname", "").partition("$")[2]
        name = f"{nested}.{case.get('name')}" if nested else case.get("name", "")
        skipped = case.find("skipped")
        problem = case.find("failure")
        if problem is None:
            problem = case.find("error")
        if problem is not None:
            outcome.failed[name] = _reason(problem.get("message") or problem.text or "")
        elif skipped is not None:
            # After an assumption, it continues with the stack.
            reason = re.split(r"\n\s*at ", skipped.text or "")[0].rpartition("failed: ")[2]
            outcome.skipped[name] = _reason(reason)
        else:
            outcome.passed += 1
    return outcome


def _reason(message: str) -> str:
    """Return a reason in one line, without the machine's paths."""
    words = " ".join(message.split())
    words = re.sub(r"(?<![\w.])/(?:dev/shm|tmp|home|root|work|var)/[^\s,;:'\"\]]+", "(path)", words)
    return words if len(words) <= _LONGEST_REASON else f"{words[:_LONGEST_REASON]}..."


def render(ours: dict[str, Outcome], peer: dict[str, Outcome]) -> str:
    """Return the page of all outcomes."""
    lines = [
        "# Aeron's own system tests over this driver",
        "",
        "Written by `make conformance AERON=path`, path being a source tree of Aeron",
        f"{VERSION}: classes of its `aeron-system-tests`, run with this package's `aeronmd` as",
        "`aeron.test.system.aeronmd.path`, slow tests included. Those of the archive and the",
        "cluster run Java's archive and cluster on it. A class without a row was not run.",
        *(["Beside them is what the C driver of the release does."] if peer else []),
        "",
        "Left out:",
        "",
        *(f"- `{name}`: {reason}" for name, reason in _LEFT_OUT.items()),
        "",
    ]
    for group in GROUPS:
        names = [name for name in ours if group_of(name) == group]
        if names:
            lines += [f"## {group.capitalize()}", "", *_table(names, ours, peer), ""]
    lines += ["## What failed", "", *_failures(ours, peer), "", "## What was skipped", ""]
    lines += [
        "The release's own tests decide it: most are for its Java driver, or for another system.",
        "",
        *_rows(
            ["class", "test", "reason"],
            (
                [_simple(name), test, reason]
                for name, outcome in ours.items()
                for test, reason in outcome.skipped.items()
            ),
        ),
    ]
    return "\n".join(lines) + "\n"


def _failures(ours: dict[str, Outcome], peer: dict[str, Outcome]) -> list[str]:
    """Return the table of the failures of both drivers."""
    rows = []
    for name in sorted(ours.keys() | peer.keys()):
        failed = {kind: of.get(name, Outcome()).failed for kind, of in ((OURS, ours), (PEER, peer))}
        for test in dict.fromkeys([*failed[OURS], *failed[PEER]]):
            drivers = [each for each, kind in (("ours", OURS), ("C", PEER)) if test in failed[kind]]
            message = failed[OURS].get(test) or failed[PEER][test]
            reason = explained(name, test)
            rows.append([_simple(name), test, ", ".join(drivers), message, reason])
    if not rows:
        return ["Nothing."]
    return _rows(["class", "test", "driver", "message", "reason"], rows)


def explained(name: str, test: str) -> str:
    """Return the known reason why a test fails."""
    return next(
        (reason for key, reason in _REASONS.items() if f"{_simple(name)}.{test}".startswith(key)),
        "",
    )


def _table(names: list[str], ours: dict[str, Outcome], peer: dict[str, Outcome]) -> list[str]:
    columns = ["class", "passed", "failed", "skipped"]
    columns += [f"C: {each}" for each in columns[1:]] if peer else []
    rows = []
    totals = [0] * (len(columns) - 1)
    for name in names:
        numbers = _numbers(ours[name])
        if peer:
            numbers += _numbers(peer[name]) if name in peer else []
        for index, number in enumerate(numbers):
            totals[index] += number
        rows.append([_simple(name), *map(str, numbers), *[""] * (len(totals) - len(numbers))])
    rows.append(["all", *map(str, totals)])
    return _rows(columns, rows)


def _rows(columns: list[str], rows: Iterable[Sequence[str]]) -> list[str]:
    lines = [columns, ["---"] * len(columns), *rows]
    return ["| " + " | ".join(_escape(each) for each in line) + " |" for line in lines]


def _simple(name: str) -> str:
    return name.rpartition(".")[2].rpartition("$")[2]


def _numbers(outcome: Outcome) -> list[int]:
    return [outcome.passed, len(outcome.failed), len(outcome.skipped)]


def _escape(text: str) -> str:
    return text.replace("|", "\\|")


if __name__ == "__main__":
    sys.exit(main())
