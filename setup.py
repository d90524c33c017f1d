"""Find every ``.pyx`` below ``aeron_cluster`` and build it as one extension module.

``AERON_CLUSTER_BUILD`` names the variant: ``release`` (the default), ``debug``, ``coverage``,
``asan`` or ``tsan``. The generated C goes to ``build/<variant>/`` (beside its source for
``coverage``, which needs it there).
"""

import os
import re
import sys
from functools import cache
from pathlib import Path

from Cython.Build import cythonize
from Cython.Compiler import Options
from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext

ROOT = Path(__file__).parent.resolve()
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
    "release": (["-O3"], []),
    "debug": (["-O0", "-g3", "-DAC_DEBUG=1"], []),
    "coverage": (["-O0", "-g", "-DCYTHON_TRACE_NOGIL=1"], []),
    "asan": ([*SANITIZE, "-fsanitize=address,undefined", "-fno-sanitize=alignment"],
             ["-fsanitize=address,undefined"]),
    "tsan": ([*SANITIZE, "-fsanitize=thread"], ["-fsanitize=thread"]),
}
if VARIANT not in VARIANTS:
    sys.exit(f"AERON_CLUSTER_BUILD={VARIANT}: expected one of {', '.join(VARIANTS)}")
if sys.byteorder != "little":
    sys.exit("aeron_cluster: expected a little-endian machine, found big-endian")

_INCLUDES = re.compile(r'^\s*#\s*include\s+"(aeron_cluster/[^"]+)"', re.MULTILINE)
_EXTERNS = re.compile(r'^\s*cdef\s+extern\s+from\s+"(aeron_cluster/[^"]+)"', re.MULTILINE)
_CIMPORTS = re.compile(r"^\s*(?:from\s+(aeron_cluster[\w.]*)\s+cimport|cimport\s+(aeron_cluster[\w.]*))",
                       re.MULTILINE)


@cache
def headers_of(source: Path) -> frozenset[Path]:
    """Return every header of ours that ``source`` (``.pyx``, ``.pxd`` or ``.h``) reaches."""
    text = source.read_text(encoding="utf-8")
    found: set[Path] = set()
    for name in _INCLUDES.findall(text) + _EXTERNS.findall(text):
        header = INCLUDE / name
        if header.exists():
            found |= {header} | headers_of(header)
    for first, second in _CIMPORTS.findall(text):
        pxd = ROOT / Path(*(first or second).split(".")).with_suffix(".pxd")
        if pxd.exists() and pxd != source:
            found |= headers_of(pxd)
    own = source.with_suffix(".pxd")
    if source.suffix == ".pyx" and own.exists():
        found |= headers_of(own)
    return frozenset(found)


def extensions() -> list[Extension]:
    compile_args, link_args = VARIANTS[VARIANT]
    return [
        Extension(
            ".".join(path.relative_to(ROOT).with_suffix("").parts),
            [str(path.relative_to(ROOT))],
            include_dirs=["include"],
            depends=sorted(str(header) for header in headers_of(path)),
            extra_compile_args=[*COMMON, *compile_args],
            extra_link_args=link_args,
        )
        for path in sorted((ROOT / "aeron_cluster").rglob("*.pyx"))
    ]


class Build(build_ext):
    """Compile in parallel unless told otherwise."""

    def initialize_options(self) -> None:
        super().initialize_options()
        self.parallel = JOBS


Options.warning_errors = True
Options.extra_warnings = True
DIRECTIVES = {
    "language_level": 3,
    "cdivision": True,
    "embedsignature": True,
    "embedsignature.format": "python",
    "auto_pickle": False,
    "autotestdict": False,
    "linetrace": VARIANT == "coverage",
}

setup(
    ext_modules=cythonize(
        extensions(),
        build_dir=None if VARIANT == "coverage" else f"build/{VARIANT}",
        nthreads=JOBS,
        compiler_directives=DIRECTIVES,
        show_all_warnings=False,
    ),
    cmdclass={"build_ext": Build},
)
