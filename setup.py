"""Find every ``.pyx`` below ``aeron_cluster`` and build it as one extension module.

``AERON_CLUSTER_BUILD`` names the variant: ``release`` (the default), ``debug``, ``coverage``,
``asan`` or ``tsan``. Only ``release`` is built in place; every other variant has the whole
package in ``build/lib-<variant>/``. The generated C goes to ``build/<variant>/``.
``AERON_CLUSTER_JOBS`` is the number of processes.
"""

import hashlib
import os
import re
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path

import Cython
from Cython.Build import cythonize
from Cython.Compiler import Options
from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext
from setuptools.command.build_py import build_py
from setuptools.modified import newer_group

ROOT = Path(__file__).parent.resolve()
PACKAGE = ROOT / "aeron_cluster"
INCLUDE = ROOT / "include"
JOBS = int(os.environ.get("AERON_CLUSTER_JOBS", str(os.cpu_count() or 1)))
VARIANT = os.environ.get("AERON_CLUSTER_BUILD", "release")

COMMON = [
    "-std=c11",
    "-fwrapv",
    "-fno-strict-aliasing",
    "-fvisibility=hidden",
    "-Wall",
    "-Wextra",
    "-Wno-unused-parameter",
]
SANITIZE = ["-O1", "-g", "-fno-omit-frame-pointer"]
VARIANTS: dict[str, tuple[list[str], list[str]]] = {
    "release": (["-O3", "-g0"], []),
    "debug": (["-O0", "-g3", "-DAC_DEBUG=1"], []),
    # Counted in C by gcov: Cython's own trace would take the GIL for each line.
    "coverage": (["-O0", "-g", "--coverage", "-fprofile-update=atomic"], ["--coverage"]),
    # Fields of messages lie where the protocols define them, some unaligned.
    "asan": (
        [*SANITIZE, "-fsanitize=address,undefined", "-fno-sanitize=alignment"],
        ["-fsanitize=address,undefined"],
    ),
    "tsan": ([*SANITIZE, "-fsanitize=thread"], ["-fsanitize=thread"]),
}
if VARIANT not in VARIANTS:
    sys.exit(f"AERON_CLUSTER_BUILD={VARIANT}: expected one of {', '.join(VARIANTS)}")
if sys.byteorder != "little":
    sys.exit("aeron_cluster: expected a little-endian machine, found big-endian")

Options.warning_errors = True
Options.extra_warnings = True
DIRECTIVES = {
    "language_level": 3,
    "cdivision": True,
    "embedsignature": True,
    "embedsignature.format": "python",
    "auto_pickle": False,
    "autotestdict": False,
}
C_DIR = ROOT / "build" / VARIANT
LIB_DIR = ROOT / "build" / f"lib-{VARIANT}"

# A quoted include, and the header of an extern block.
HEADERS = re.compile(r'(?m)^\s*(?:#\s*include|cdef\s+extern\s+from)\s+"(aeron_cluster/[^"]+)"')
CIMPORTS = re.compile(r"(?m)^\s*(?:from\s+(aeron_cluster[\w.]*)\s+)?cimport\s+(\w[\w., ]*)")


@cache
def reached_from(source: Path) -> frozenset[Path]:
    """Return the package's ``.pxd`` and ``.h`` files that ``source`` names directly."""
    text = source.read_text(encoding="utf-8")
    found = {INCLUDE / name for name in HEADERS.findall(text)}
    for origin, names in CIMPORTS.findall(text):
        modules = [origin] if origin else []
        for name in re.split(r"\s*,\s*", names.strip()):
            first = name.split(" ")[0]
            modules.append(f"{origin}.{first}" if origin else first)
        found |= {ROOT / (module.replace(".", "/") + ".pxd") for module in modules}
    if source.suffix == ".pyx":
        found.add(source.with_suffix(".pxd"))
    return frozenset(path for path in found if path.exists())


def headers_of(source: Path) -> list[str]:
    """Return every header of the package that ``source`` reaches; Cython itself follows the
    ``.pxd``.
    """
    seen: set[Path] = set()
    todo = [source]
    while todo:
        new = reached_from(todo.pop()) - seen
        seen |= new
        todo += new
    return sorted(str(path) for path in seen if path.suffix == ".h")


def extensions() -> list[Extension]:
    """Return one extension per ``.pyx``, with its dependencies."""
    compile_args, link_args = VARIANTS[VARIANT]
    return [
        Extension(
            ".".join(path.relative_to(ROOT).with_suffix("").parts),
            [str(path.relative_to(ROOT))],
            include_dirs=["include"],
            depends=headers_of(path),
            extra_compile_args=[*COMMON, *compile_args],
            extra_link_args=link_args,
        )
        for path in sorted(PACKAGE.rglob("*.pyx"))
    ]


def settings() -> str:
    """Return the settings that, besides its sources, determine the build of a module."""
    parts = (Cython.__version__, sys.version, DIRECTIVES, COMMON, VARIANTS[VARIANT])
    return hashlib.sha256(repr(parts).encode()).hexdigest()


@contextmanager
def no_performance_hints() -> Iterator[None]:
    """Fail when Cython prints a performance hint, which ``warning_errors`` does not cover."""
    began = time.time()
    sys.stderr.flush()
    kept = os.dup(2)
    with tempfile.TemporaryFile("w+") as printed:
        os.dup2(printed.fileno(), 2)  # the worker processes write there too
        try:
            yield
        finally:
            sys.stderr.flush()
            os.dup2(kept, 2)
            os.close(kept)
            printed.seek(0)
            text = printed.read()
            sys.stderr.write(text)
    if "performance hint:" in text:
        for path in C_DIR.rglob("aeron_cluster/**/*.c"):
            if path.stat().st_mtime >= began:
                path.unlink()  # otherwise the next build would not print the hint
        sys.exit("aeron_cluster: a performance hint fails the build")


@contextmanager
def unchanged_files_keep_their_times() -> Iterator[None]:
    """Restore the times of C files that are generated again with the same text.

    So it is for all of them where Cython was installed anew, as in the environment in which pip
    builds: its own declarations are newer than what was generated from them.
    """
    files = C_DIR.rglob("aeron_cluster/**/*.c")
    before = {path: (path.stat().st_mtime_ns, path.read_bytes()) for path in files}
    yield
    for path, (modified_ns, text) in before.items():
        is_new = path.exists() and path.stat().st_mtime_ns != modified_ns
        if is_new and path.read_bytes() == text:
            os.utime(path, ns=(modified_ns, modified_ns))


class Build(build_ext):
    """Compile in parallel: the release variant in place, other variants in their own folders."""

    def initialize_options(self) -> None:
        super().initialize_options()
        self.parallel = JOBS

    def finalize_options(self) -> None:
        if VARIANT != "release":
            self.inplace = False
            self.build_lib = str(LIB_DIR)
            self.build_temp = str(ROOT / "build" / f"temp-{VARIANT}")
        super().finalize_options()

    def run(self) -> None:
        super().run()
        if self.inplace:
            remove_orphans(PACKAGE)
        if VARIANT != "release":
            python = self.get_finalized_command("build_py")
            python.build_lib = str(LIB_DIR)
            python.run()

    def build_extension(self, ext: Extension) -> None:
        target = Path(self.get_ext_fullpath(ext.name))
        built = ROOT.joinpath(*ext.name.split(".")).with_name(target.name)
        is_elsewhere = VARIANT == "release" and built != target.absolute()
        if is_elsewhere and not newer_group([*ext.sources, *ext.depends], str(built)):
            self.mkpath(str(target.parent))  # `make build` has compiled it with these settings
            self.copy_file(str(built), str(target))
            return
        super().build_extension(ext)


class Package(build_py):
    """Copy the headers into the package, and remove files that are no longer in the sources."""

    def run(self) -> None:
        super().run()
        if self.editable_mode:
            return
        built = Path(self.build_lib) / "aeron_cluster"
        wanted = {Path(path) for path in self.get_outputs(include_bytecode=False)}
        for header in INCLUDE.rglob("*.h"):
            target = built / "include" / header.relative_to(INCLUDE)
            self.mkpath(str(target.parent))
            self.copy_file(str(header), str(target))
            wanted.add(target)
        remove_orphans(built)
        for path in built.rglob("*.*"):
            if path.suffix != ".so" and path.is_file() and path not in wanted:
                path.unlink()


def remove_orphans(tree: Path) -> None:
    """Delete compiled modules without a source."""
    for path in tree.rglob("*.so"):
        source = PACKAGE / path.parent.relative_to(tree) / f"{path.name.split('.')[0]}.pyx"
        if not source.exists():
            path.unlink()


if __name__ == "__main__":  # only in the main process, not in each worker
    stamp = ROOT / "build" / f"{VARIANT}.settings"
    with no_performance_hints(), unchanged_files_keep_their_times():
        modules = cythonize(
            extensions(),
            build_dir=f"build/{VARIANT}",
            nthreads=JOBS if JOBS > 1 else 0,
            compiler_directives=DIRECTIVES,
            force=not (stamp.exists() and stamp.read_text() == settings()),
            show_all_warnings=False,
        )
    setup(ext_modules=modules, cmdclass={"build_ext": Build, "build_py": Package})
    stamp.parent.mkdir(exist_ok=True)
    stamp.write_text(settings())
