"""Print what pip must install to build the package and run the named extras.

Usage: ``python tools/requirements.py test lint | pip install -r /dev/stdin``. The package itself
is left out: it is built in place.
"""

import sys
import tomllib
from pathlib import Path
from typing import Any


def requirements(project: dict[str, Any], extras: list[str]) -> list[str]:
    """Return the requirements of build, package and extras, each once."""
    package = project["project"]
    found = [*project["build-system"]["requires"], *package["dependencies"]]
    for extra in extras:
        found += package["optional-dependencies"][extra]
    return sorted(set(found))


if __name__ == "__main__":
    text = (Path(__file__).parent.parent / "pyproject.toml").read_text(encoding="utf-8")
    print("\n".join(requirements(tomllib.loads(text), sys.argv[1:])))
