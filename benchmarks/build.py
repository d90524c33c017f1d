"""Compile the benchmark loops with the flags of the release build, beside their sources."""

import fcntl
import sys
from pathlib import Path

from Cython.Build import cythonize
from setuptools import Extension
from setuptools.dist import Distribution

import setup as package

ROOT = Path(__file__).parent.parent
NAMES = [
    ".".join(path.relative_to(ROOT).with_suffix("").parts)
    for path in sorted((ROOT / "benchmarks").rglob("*.pyx"))
]


def build() -> None:
    """Compile changed files; wait if another process does so."""
    (ROOT / "build").mkdir(exist_ok=True)
    with (ROOT / "build" / "benchmarks.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        _build()


def _build() -> None:
    compile_args, link_args = package.VARIANTS["release"]
    extensions = [
        Extension(
            name,
            [name.replace(".", "/") + ".pyx"],
            include_dirs=["include"],
            depends=package.headers_of(ROOT / (name.replace(".", "/") + ".pyx")),
            extra_compile_args=[*package.COMMON, *compile_args],
            extra_link_args=link_args,
        )
        for name in NAMES
    ]
    modules = cythonize(
        extensions,
        build_dir="build/benchmarks",
        compiler_directives=package.DIRECTIVES,
        show_all_warnings=False,
        quiet=True,
    )
    distribution = Distribution({"name": "benchmarks", "ext_modules": modules})
    command = distribution.get_command_obj("build_ext")
    command.inplace = True
    command.build_lib = "build/benchmarks-lib"
    command.build_temp = "build/benchmarks-temp"
    command.verbose = 0
    command.ensure_finalized()
    command.run()


if __name__ == "__main__":
    sys.path.insert(0, str(ROOT))
    build()
