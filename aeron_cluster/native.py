"""The include path for native services and other extensions."""

from pathlib import Path

__all__ = ["get_include"]


def get_include() -> str:
    """Return the include path for a C compiler.

    Returns
    -------
    str
        The folder with ``aeron_cluster/atomic.h`` and the other headers; the ``.pxd`` files next to
        the modules include them by that path.
    """
    package = Path(__file__).parent
    installed = package / "include"
    return str(installed if installed.is_dir() else package.parent / "include")
