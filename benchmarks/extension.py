"""Build a benchmark's own Cython module with the flags of the package, below ``build/bench``."""

import importlib.util
import os
import runpy
from pathlib import Path
from types import ModuleType

from Cython.Build import cythonize
from setuptools import Distribution, Extension
from setuptools.command.build_ext import build_ext

ROOT = Path(__file__).parent.parent
TARGET = ROOT / "build" / "bench"


def load(source: Path) -> ModuleType:
    """Build `source` (``.pyx``) where it changed and return its module."""
    settings = runpy.run_path(str(ROOT / "setup.py"), run_name="settings")
    compile_args, link_args = settings["VARIANTS"]["release"]
    name = source.stem
    extension = Extension(
        name,
        [os.path.relpath(source, ROOT)],
        include_dirs=["include"],
        depends=[str(header) for header in settings["headers_of"](source)],
        extra_compile_args=[*settings["COMMON"], *compile_args],
        extra_link_args=link_args,
    )
    before = Path.cwd()
    os.chdir(ROOT)
    try:
        modules = cythonize(
            [extension],
            build_dir=str(TARGET),
            compiler_directives=settings["DIRECTIVES"],
            quiet=True,
        )
        command = build_ext(Distribution({"name": name, "ext_modules": modules}))
        command.build_lib = command.build_temp = str(TARGET)
        command.ensure_finalized()
        command.run()
        path = command.get_ext_fullpath(name)
    finally:
        os.chdir(before)
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
