"""Follow README and tutorial in bare Debian systems, and test the wheel in others.

Usage, as root: ``python -m tools.chroot [SUITE...]``; by default ``bookworm trixie``. For each
suite ``debootstrap`` makes two systems, from the mirror of this machine's apt, with the smallest
set of packages:

- one has what README names. A reader there clones a commit, HEAD at the start, and follows README
  and the tutorial: demo, installation, own service, three members, a killed leader, metrics, and a
  page, which this machine's Chromium opens in the reader's network;
- the other one has Python and no compiler. The wheel made in the first one is installed there, its
  demo runs, and the unit tests of the same commit run on it.

A reader is an ordinary user, with a network of its own while the tutorial runs. Each step's time
and the total, from the clone to the page, are printed; logs are in the folder. ``--pictures`` draws
those of the tutorial. Everything else is removed, unless with ``--keep``.

``--arch arm64`` makes the second system alone, under ``qemu-user``, for a wheel that a cross
compiler makes here: the suite's Python must be of the same minor version as this one. The emulation
is registered with the kernel meanwhile. On a machine of the x86 family, whose memory accesses are
ordered, it does not find a wrong memory ordering. There the unit tests take half an hour:
``--sample 30 --seed 1`` runs that many of their files, drawn with the seed, and ``--tests`` those
of a folder.

``--wheel-only`` follows nothing: the first system makes a wheel and the second one tests it. So a
suite under development, such as ``forky``, tests its Python.
"""

import argparse
import contextlib
import os
import random
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import time
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import IO

from tools.browser import BROWSER, BROWSER_OPTIONS

ROOT = Path(__file__).parent.parent
BARE = ("python3-venv", "ca-certificates")
LIMIT_S = 20 * 60
CERTIFICATES = Path("/etc/ssl/certs/ca-certificates.crt")
PAGE = "http://localhost:8080/"
BINFMT = Path("/proc/sys/fs/binfmt_misc")
# The header of an executable of arm64, and what of it counts.
ARM64 = (
    r"\x7fELF\x02\x01\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00\x02\x00\xb7\x00",
    r"\xff\xff\xff\xff\xff\xff\xff\x00\xff\xff\xff\xff\xff\xff\xff\xff\xfe\xff\xff\xff",
)
CROSS_COMPILER = "aarch64-linux-gnu-gcc"
# Mounts and processes end with the command: they are in namespaces of its own.
ENTER = """
mount --make-rprivate /
mount -t proc proc "$root/proc"
mount --rbind /dev "$root/dev"
mount -t tmpfs -o size=4g tmpfs "$root/dev/shm"
if [ "$network" = own ]; then ip link set lo up; fi
exec chroot --userspec="$user" "$root" /usr/bin/env -i "$@"
"""


def readme_packages(readme: str) -> list[str]:
    """Return the packages of Debian that README names."""
    match = re.search(r"\(Debian: `([\w -]+)`\)", readme)
    assert match is not None
    return match[1].split()


def readme_commands(readme: str) -> list[str]:
    """Return what README installs with; the wheel is made afterwards, with less."""
    section = re.search(r"(?ms)^## Install\n(.*?)^## ", readme)
    assert section is not None
    lines = re.findall(r"(?m)^    (\S.*?)(?: +#.*)?$", section[1])
    return [line for line in lines if not line.startswith("make ")]


class Commit:
    """A commit of this repository in a folder, which a later commit does not change.

    Parameters
    ----------
    folder
    name
        What git knows the commit as.
    """

    def __init__(self, folder: Path, name: str = "HEAD") -> None:
        self.folder = folder
        self.sources = folder / "sources"
        self.bundle = folder / "aeron_cluster.bundle"
        shutil.rmtree(folder, ignore_errors=True)
        self._git(ROOT, "clone", "-q", "--no-checkout", str(ROOT), str(self.sources))
        self._git(self.sources, "checkout", "-q", "--detach", self._git(ROOT, "rev-parse", name))
        self._git(self.sources, "bundle", "create", "-q", str(self.bundle), "HEAD")
        self.name = self._git(self.sources, "rev-parse", "--short=8", "HEAD")

    def _git(self, folder: Path, *words: str) -> str:
        done = subprocess.run(
            ["git", *words], check=True, cwd=folder, stdout=subprocess.PIPE, text=True
        )
        return done.stdout.strip()

    def read(self, name: str) -> str:
        """Return the text of a file."""
        return (self.sources / name).read_text(encoding="utf-8")

    def copy(self, target: Path, *names: str) -> None:
        """Copy files and folders into a new folder."""
        target.mkdir()
        for name in names:
            subprocess.run(["cp", "-a", str(self.sources / name), str(target)], check=True)


def mirror() -> str:
    """Return the mirror that this machine's apt has its packages from."""
    done = subprocess.run(
        ["apt-get", "indextargets", "--format", "$(ORIGIN) $(SUITE) $(REPO_URI)"],
        check=True,
        capture_output=True,
        text=True,
    )
    for line in done.stdout.splitlines():
        origin, _, uri = line.split()
        if origin == "Debian" and "security" not in uri:
            return uri
    raise SystemExit("apt has no mirror of Debian on this machine")


def environment(home: str) -> list[str]:
    """Return what a reader's environment has: this machine's settings of pip, and no more."""
    kept = {
        key: value
        for key, value in os.environ.items()
        if key.startswith(("PIP_", "AERON_CLUSTER_JOBS"))
        or key.endswith(("_proxy", "_PROXY", "_CERT_FILE", "_BUNDLE"))
    }
    own = {"HOME": home, "PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "LANG": "C.UTF-8"}
    return [f"{key}={value}" for key, value in (kept | own).items()]


class Steps:
    """Runs named steps, and prints and keeps their times."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.times: dict[str, float] = {}

    @contextlib.contextmanager
    def step(self, name: str) -> Iterator[IO[bytes]]:
        """Time a step, which writes to the given log; print the end of that if it fails."""
        words = re.sub(r"[^a-z0-9]+", "-", name.lower())[:80]
        log = self.folder / f"{len(self.times):02}-{words}.log"
        began = time.monotonic()
        try:
            with log.open("wb") as file:
                yield file
        except BaseException:
            print(f"FAILED     {name}, see {log}", flush=True)
            print("".join(log.read_text(errors="replace").splitlines(keepends=True)[-40:]))
            raise
        self.times[name] = time.monotonic() - began
        print(f"{self.times[name]:7.1f} s  {name}", flush=True)


class System:
    """A bare system in a folder.

    Parameters
    ----------
    root
    """

    def __init__(self, root: Path) -> None:
        self.root = root
        self.home = root / "data" / "reader"

    def command(self, *words: str, user: str = "1000:1000", network: str = "shared") -> list[str]:
        """Return a command line that runs one in the system."""
        home = "/root" if user == "0:0" else "/data/reader"
        unshared = ["--mount", "--pid", "--fork", "--kill-child", "--ipc"]
        unshared += ["--net"] if network == "own" else []
        variables = [f"root={self.root}", f"user={user}", f"network={network}"]
        enter = ["env", *variables, "bash", "-e", "-c", ENTER, "enter"]
        return ["unshare", *unshared, *enter, *environment(home), *words]

    def run(self, script: str, log: IO[bytes], user: str = "1000:1000") -> None:
        """Run a script of bash in the system, in the user's home."""
        # Each command of the script is in the log, with the seconds since its start.
        words = ("PS4=+ $SECONDS s: ", "bash", "-exc", f"cd\n{script}")
        subprocess.run(
            self.command(*words, user=user), check=True, stdout=log, stderr=subprocess.STDOUT
        )

    def make(self, suite: str, arch: str, log: IO[bytes]) -> None:
        """Make the system with ``debootstrap``, if an earlier run with ``--keep`` has not."""
        if self.home.exists():
            return
        shutil.rmtree(self.root, ignore_errors=True)
        scripts = Path("/usr/share/debootstrap/scripts")
        foreign = [] if arch == native() else ["--foreign"]
        command = ["debootstrap", "--variant=minbase", f"--arch={arch}", *foreign]
        command += [f"--include={','.join(BARE)}", suite, str(self.root), mirror()]
        # An old debootstrap does not know the name of a new suite.
        command += [] if (scripts / suite).exists() else [str(scripts / "sid")]
        subprocess.run(command, check=True, stdout=log, stderr=subprocess.STDOUT)
        if foreign:
            self.run("/debootstrap/debootstrap --second-stage", log, "0:0")
        self.configure(log)

    def configure(self, log: IO[bytes]) -> None:
        """Add a reader, and this machine's settings of network, apt and pip."""
        (self.root / "etc/hosts").write_text("127.0.0.1 localhost\n")
        shutil.copy("/etc/resolv.conf", self.root / "etc/resolv.conf")
        for name in ("/etc/pip.conf", str(CERTIFICATES)):
            if Path(name).exists():
                shutil.copy(name, self.root / name.lstrip("/"))
        acquire = subprocess.run(
            ["apt-config", "dump", "Acquire"], check=True, capture_output=True, text=True
        )
        # The index of a mirror that is updated rarely has expired.
        settings = f'{acquire.stdout}Acquire::Check-Valid-Until "false";\n'
        (self.root / "etc/apt/apt.conf.d/90machine").write_text(settings)
        user = "--create-home --home-dir /data/reader --shell /bin/bash --uid 1000 reader"
        self.run(f"mkdir -p /data && useradd {user}", log, "0:0")

    def copy(self, root: Path) -> "System":
        """Return a copy in another folder."""
        shutil.rmtree(root, ignore_errors=True)
        subprocess.run(["cp", "-a", str(self.root), str(root)], check=True)
        return System(root)

    def own(self, path: Path) -> None:
        """Give files to the reader."""
        subprocess.run(["chown", "-R", "1000:1000", str(path)], check=True)


def native() -> str:
    """Return the architecture of this machine, as Debian names it."""
    done = subprocess.run(
        ["dpkg", "--print-architecture"], check=True, capture_output=True, text=True
    )
    return done.stdout.strip()


@contextlib.contextmanager
def emulated(arch: str) -> Iterator[None]:
    """Enable programs of the architecture in the kernel, if they do not run yet."""
    if arch == native():
        yield
        return
    if arch != "arm64":
        raise SystemExit(f"--arch {arch}: expected {native()} or arm64")
    emulator = shutil.which("qemu-aarch64-static")
    if emulator is None:
        raise SystemExit("qemu-aarch64-static is missing: apt-get install qemu-user-static")
    if not (BINFMT / "register").exists():
        subprocess.run(["mount", "-t", "binfmt_misc", "binfmt_misc", str(BINFMT)], check=True)
    entry = BINFMT / "qemu-aarch64"
    if entry.exists():
        yield
        return
    # F: opened now, so that it need not be in the system.
    (BINFMT / "register").write_text(f":{entry.name}:M::{ARM64[0]}:{ARM64[1]}:{emulator}:F")
    try:
        yield
    finally:
        entry.write_text("-1")


# ---- the reader ----


def follow(
    system: System, suite: str, steps: Steps, commit: Commit, pictures: Path | None
) -> tuple[Path, float]:
    """Follow README and the tutorial; return a wheel made there, and the seconds to the page."""
    readme = commit.read("README.md")
    began = clone(system, suite, steps, commit)
    with steps.step(f"{suite}: make demo") as log:
        system.run("cd aeron_cluster; make demo", log)
    enter, *installs = readme_commands(readme)
    for each in installs:
        with steps.step(f"{suite}: {each}") as log:
            system.run(f"cd aeron_cluster; {enter}; {each}", log)
    with steps.step(f"{suite}: pip install pytest hypothesis") as log:
        system.run(f"{enter}; pip install -q pytest hypothesis", log)
    # Beside them there is no package: the installed one is used.
    commit.copy(system.home / "pages", "tests", "docs", "README.md")
    system.own(system.home / "pages")
    for name in ("demo", "pictures"):
        (system.home / name).mkdir()
        system.own(system.home / name)
    with steps.step(f"{suite}: the tutorial") as log:
        follow_tutorial(system, enter, log)
    total = time.monotonic() - began
    print(f"{total:7.1f} s  {suite}: from the clone to the page", flush=True)
    if pictures is not None:
        with steps.step(f"{suite}: the screens of the tutorial") as log:
            words = f"cd pages; {enter}; python -m tests.pictures ~/demo/store ~/pictures"
            in_own = system.command("bash", "-exc", f"cd; {words}", network="own")
            subprocess.run(in_own, check=True, stdout=log, stderr=subprocess.STDOUT)
        for path in (system.home / "pictures").iterdir():
            shutil.copyfile(path, pictures / path.name)
    return make_wheel(system, suite, steps, enter), total


def clone(system: System, suite: str, steps: Steps, commit: Commit) -> float:
    """Install what README names, and clone the commit; return when that began."""
    packages = readme_packages(commit.read("README.md"))
    with steps.step(f"{suite}: apt-get install {' '.join(packages)}") as log:
        install = "apt-get -q update; apt-get -q install -y --no-install-recommends"
        script = f"export DEBIAN_FRONTEND=noninteractive; {install} {' '.join(packages)}"
        system.run(script, log, "0:0")
    shutil.copy(commit.bundle, system.home)
    system.own(system.home / commit.bundle.name)
    began = time.monotonic()
    with steps.step(f"{suite}: git clone") as log:
        system.run("git clone -q aeron_cluster.bundle aeron_cluster", log)
    return began


def make_wheel(system: System, suite: str, steps: Steps, enter: str) -> Path:
    """Make a wheel of the clone."""
    with steps.step(f"{suite}: pip wheel") as log:
        system.run(f"cd aeron_cluster; {enter}; pip wheel -q --no-deps -w ../dist .", log)
    (wheel,) = (system.home / "dist").glob("*.whl")
    return wheel


def follow_tutorial(system: System, enter: str, log: IO[bytes]) -> None:
    """Follow the tutorial, and open the page while its cluster runs."""
    words = "python -m tests.walkthrough docs/tutorial.md ~/demo --pictures ~/pictures --keep"
    command = system.command("bash", "-ec", f"cd; {enter}; cd pages; {words}", network="own")
    reader = subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT
    )
    assert reader.stdin is not None
    assert reader.stdout is not None
    line = b""
    while (line := reader.stdout.readline()) not in (b"", b"followed\n"):
        log.write(line)
    log.flush()
    try:
        if line:
            open_page(reader.pid, system.home / "pictures" / "page.png", log)
    finally:
        reader.stdin.close()
        log.write(reader.stdout.read())
        log.flush()
        code = reader.wait()
    assert line, "the tutorial was not followed to its end"
    assert code == 0, code


def open_page(process: int, picture: Path, log: IO[bytes]) -> None:
    """Open the page in this machine's browser, in the network of a process."""
    assert BROWSER is not None, "expected Chromium, to open the page: none is installed"
    inside = ["nsenter", f"--net=/proc/{process}/ns/net", BROWSER, *BROWSER_OPTIONS]
    inside += ["--hide-scrollbars", "--virtual-time-budget=5000"]
    with tempfile.TemporaryDirectory() as folder:
        inside += [f"--user-data-dir={folder}"]
        shown = subprocess.run(
            [*inside, "--dump-dom", PAGE], check=True, stdout=subprocess.PIPE, stderr=log
        )
        log.write(shown.stdout)
        assert re.search(rb"member \d leads", shown.stdout), "the page names no leader"
        size = "--window-size=900,480"
        subprocess.run([*inside, size, f"--screenshot={picture}", PAGE], check=True, stderr=log)


# ---- the wheel ----


def download(package: str, suite: str, arch: str, folder: Path, log: IO[bytes]) -> Path:
    """Download a package of another architecture with this machine's apt; return its file.

    The apt of the system is emulated, and reads lists of packages for minutes.
    """
    folder.mkdir(exist_ok=True)
    (folder / "lists/partial").mkdir(parents=True, exist_ok=True)
    keys = "/usr/share/keyrings/debian-archive-keyring.gpg"
    (folder / "sources.list").write_text(f"deb [signed-by={keys}] {mirror()} {suite} main\n")
    settings = {
        "APT::Architecture": arch,
        "APT::Architectures": arch,
        "APT::Sandbox::User": "root",
        "Acquire::Languages": "none",
        "Acquire::Check-Valid-Until": "false",
        "Dir::State::lists": folder / "lists",
        "Dir::State::status": "/dev/null",
        "Dir::Cache": folder,
        "Dir::Etc::sourcelist": folder / "sources.list",
        "Dir::Etc::sourceparts": "/dev/null",
    }
    apt = ["apt-get", "-q", *(f"-o{name}={value}" for name, value in settings.items())]
    for command in (["update"], ["download", package]):
        subprocess.run(
            [*apt, *command], check=True, cwd=folder, stdout=log, stderr=subprocess.STDOUT
        )
    (found,) = folder.glob(f"{package}_*_{arch}.deb")
    return found


def cross_environment(system: System, headers: Path, path: Path) -> dict[str, str]:
    """Return what makes this Python compile extensions for the Python of a system.

    Parameters
    ----------
    system
    headers
        The folder with the headers of that Python.
    path
        A new folder, in which this Python finds the settings of that one.
    """
    minor = f"python{sys.version_info[0]}.{sys.version_info[1]}"
    # One file under two names.
    found = sorted(system.root.glob(f"usr/lib/{minor}/_sysconfigdata_*.py"))
    if not found:
        raise SystemExit(f"expected {minor} in {system.root}, as on this machine")
    data = found[0]
    path.mkdir(exist_ok=True)
    shutil.copy(data, path)
    return {
        "_PYTHON_SYSCONFIGDATA_NAME": data.stem,
        "_PYTHON_HOST_PLATFORM": "linux-aarch64",
        "PYTHONPATH": str(path),
        "CC": CROSS_COMPILER,
        "LDSHARED": f"{CROSS_COMPILER} -shared",
        # Before the headers of this Python.
        "CFLAGS": f"-I{headers / minor} -I{headers}",
    }


def cross_wheel(system: System, suite: str, commit: Commit, folder: Path, log: IO[bytes]) -> Path:
    """Compile a wheel for the Python of a system of another architecture, on this machine."""
    minor = f"python{sys.version_info[0]}.{sys.version_info[1]}"
    folder.mkdir(exist_ok=True)
    package = download(f"lib{minor}-dev", suite, "arm64", folder / "apt", log)
    subprocess.run(["dpkg", "-x", str(package), str(folder / "dev")], check=True)
    cross = cross_environment(system, folder / "dev/usr/include", folder / "sysconfig")
    command = [sys.executable, "setup.py", "-q", "bdist_wheel", "--dist-dir", str(folder / "dist")]
    subprocess.run(
        command,
        check=True,
        cwd=commit.sources,
        env=os.environ | cross,
        stdout=log,
        stderr=subprocess.STDOUT,
    )
    (wheel,) = (folder / "dist").glob("*_aarch64.whl")
    return wheel


def draw(tests: str, folder: Path, count: int, seed: int) -> tuple[str, str]:
    """Return the command with so many test files of its last word, and what that is, in words."""
    *command, part = shlex.split(tests)
    found = sorted(str(each.relative_to(folder)) for each in folder.glob(f"{part}/**/test_*.py"))
    drawn = sorted(random.Random(seed).sample(found, min(count, len(found))))
    words = f"{shlex.join(command)}, {len(drawn)} of {len(found)} files of {part}, seed {seed}"
    return shlex.join([*command, *drawn]), words


def check_wheel(
    system: System,
    suite: str,
    steps: Steps,
    wheel: Path,
    commit: Commit,
    given: argparse.Namespace,
) -> None:
    """Install a wheel where no compiler is, and run its demo and the unit tests on it."""
    settings = tomllib.loads(commit.read("pyproject.toml"))["tool"]["cibuildwheel"]
    words = tests = given.tests or settings["test-command"]
    if given.sample is not None:
        tests, words = draw(tests, commit.sources, given.sample, given.seed)
    shutil.copy(wheel, system.home / wheel.name)
    commit.copy(system.home / "tests-of-wheel", *settings["test-sources"])
    system.own(system.home / "tests-of-wheel")
    enter = "python3 -m venv ~/aeron; source ~/aeron/bin/activate"
    with steps.step(f"{suite}: pip install {wheel.name}") as log:
        system.run(f"! command -v cc gcc; {enter}; pip install ./{wheel.name}", log)
    with steps.step(f"{suite}: aeron-cluster demo, of the wheel") as log:
        system.run("source ~/aeron/bin/activate; aeron-cluster demo --seconds 0.5", log)
    names = shlex.join(settings["test-requires"])
    with steps.step(f"{suite}: pip install {names}") as log:
        system.run(f"source ~/aeron/bin/activate; pip install -q {names}", log)
    with steps.step(f"{suite}: python -m {words}") as log:
        system.run(f"source ~/aeron/bin/activate; cd tests-of-wheel; python -m {tests}", log)
    last = Path(log.name).read_text(errors="replace").splitlines()[-1]
    print(f"           {last}", flush=True)


def main() -> None:
    """Do all suites."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("suites", nargs="*", default=["bookworm", "trixie"])
    parser.add_argument("--arch", default=native())
    parser.add_argument("--commit", default="HEAD", help="the sources; by default HEAD")
    parser.add_argument("--wheel", type=Path, help="test this one, and follow nothing")
    parser.add_argument("--wheel-only", action="store_true", help="make and test a wheel")
    parser.add_argument("--tests", help="by default those that each wheel is tested with")
    parser.add_argument("--sample", type=int, help="run only so many files of the tests")
    parser.add_argument("--seed", type=int, default=0, help="draws them")
    parser.add_argument("--folder", type=Path, help="where the systems and logs are")
    parser.add_argument("--pictures", action="store_true", help="draw those of the tutorial")
    parser.add_argument(
        "--keep", action="store_true", help="do not remove the systems; a later run uses them"
    )
    given = parser.parse_args()
    if os.geteuid() != 0:
        raise SystemExit("making systems takes root")
    folder = given.folder or Path(tempfile.mkdtemp(prefix="aeron-cluster-chroot-"))
    folder.mkdir(parents=True, exist_ok=True)
    commit = Commit(folder / "commit", given.commit)
    print(f"commit {commit.name}, logs in {folder}", flush=True)
    with emulated(given.arch):
        for suite in given.suites:
            root = folder / f"{suite}-{given.arch}"
            try:
                do_suite(suite, given, root, Steps(folder), commit)
            finally:
                for each in folder.glob(f"{root.name}*"):
                    if not given.keep:
                        shutil.rmtree(each, ignore_errors=True)
    if not given.keep:
        shutil.rmtree(commit.folder)


def do_suite(
    suite: str, given: argparse.Namespace, root: Path, steps: Steps, commit: Commit
) -> None:
    """Make the systems of a suite, and do everything in them."""
    name = suite if given.arch == native() else f"{suite} {given.arch}"
    made = System(root)
    with steps.step(f"{name}: debootstrap") as log:
        made.make(suite, given.arch, log)
    bare = made.copy(root.with_name(f"{root.name}-bare"))
    wheel, total = given.wheel, 0.0
    if wheel is None and given.arch != native():
        with steps.step(f"{name}: {CROSS_COMPILER}, {sys.version.split()[0]}") as log:
            wheel = cross_wheel(bare, suite, commit, steps.folder / "cross", log)
    elif wheel is None and given.wheel_only:
        full = made.copy(root.with_name(f"{root.name}-full"))
        clone(full, name, steps, commit)
        enter = readme_commands(commit.read("README.md"))[0]
        wheel = make_wheel(full, name, steps, enter)
    elif wheel is None:
        pictures = ROOT / "docs/pictures" if given.pictures else None
        full = made.copy(root.with_name(f"{root.name}-full"))
        wheel, total = follow(full, name, steps, commit, pictures)
    check_wheel(bare, name, steps, wheel, commit, given)
    # In the end: another load of this machine makes it slow, but not wrong.
    assert total < LIMIT_S, f"{name}: {total:.0f} s from the clone to the page"


if __name__ == "__main__":
    main()
