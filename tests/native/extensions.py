"""Extensions built beside the tests, as a user of the package builds one."""

import importlib.util
import subprocess
import sys
import sysconfig
from collections.abc import Sequence
from pathlib import Path
from types import ModuleType

from tests.conftest import ROOT, VARIANT

# Extensions are built with the package's own flags.
_SANITIZERS = {
    "asan": ["-g", "-fsanitize=address,undefined"],
    "tsan": ["-g", "-fsanitize=thread"],
}


def build_extension(source: Path, folder: Path, includes: Sequence[Path] = ()) -> Path:
    """Build a ``.pyx`` in a folder; return the library.

    Parameters
    ----------
    source
        Its stem is the name of the module.
    folder
        The folder of the generated C and of the library.
    includes
        Folders of headers besides the package's.
    """
    generated = folder / f"{source.stem}.c"
    library = folder / f"{source.stem}{sysconfig.get_config_var('EXT_SUFFIX')}"
    subprocess.run(
        [sys.executable, "-m", "cython", "-3", "-I", str(ROOT), "-o", generated, source],
        check=True,
        cwd=ROOT,
    )
    compiler = sysconfig.get_config_var("CC").split()
    flags = ["-O1", "-shared", "-fPIC", *_SANITIZERS.get(VARIANT, [])]
    headers = [ROOT / "include", *includes, sysconfig.get_path("include")]
    flags += [part for each in headers for part in ("-I", str(each))]
    subprocess.run([*compiler, *flags, generated, "-o", library], check=True)
    return library


def load_extension(library: Path) -> ModuleType:
    """Import a built library."""
    spec = importlib.util.spec_from_file_location(library.name.partition(".")[0], library)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
