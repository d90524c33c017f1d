"""The site of the documentation: ``make docs`` builds it into build/site.

The pages are those of the source tree, in their places, so that links work there as well; `NAV` has
their order. The reference is made from the docstrings.
"""

from __future__ import annotations

import importlib
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from types import ModuleType

    from sphinx.application import Sphinx

# Modules by the names of their pages. What several export is on the first one's page.
REFERENCE = {
    "aeron_cluster": "aeron_cluster",
    "cluster": "aeron_cluster.cluster",
    "cluster-client": "aeron_cluster.cluster_client",
    "archive": "aeron_cluster.archive",
    "client": "aeron_cluster.client",
    "driver": "aeron_cluster.driver",
    "simulator": "aeron_cluster.simulator",
    "pipeline": "aeron_cluster.pipeline",
    "errors": "aeron_cluster.errors",
}

# Pages without their endings, relative to the root.
NAV = {
    "Tutorial": ["README", "docs/tutorial", "docs/local"],
    "How to": [
        "docs/how-to/service",
        "docs/how-to/numba",
        "docs/embedding",
        "docs/clients",
        "docs/how-to/asyncio",
        "docs/how-to/options",
        "docs/how-to/driver",
        "docs/how-to/archive",
        "docs/how-to/failover",
        "docs/how-to/backup",
        "docs/how-to/replace-java-members",
        "docs/how-to/tuning",
        "docs/simulator",
        "docs/pipeline",
        "docs/security",
        "docs/operating",
        "docs/deploying",
        "examples/README",
    ],
    "Reference": [
        *(f"docs/reference/{name}" for name in REFERENCE),
        "docs/tools",
        "docs/features",
        "docs/metrics",
        "CHANGELOG",
    ],
    "Explanation": [
        "ARCHITECTURE",
        "docs/durability",
        "docs/reliability",
        "docs/determinism",
        "docs/layouts",
        "benchmarks/RESULTS",
        "docs/mutants",
        "docs/coverage",
        "docs/seeds-coverage",
        "docs/conformance",
        "docs/mixed",
        "CONTRIBUTING",
        "SECURITY",
    ],
    "Decisions": [
        "docs/decisions/shared-memory",
        "docs/decisions/log-buffers",
        "docs/decisions/codecs",
        "docs/decisions/driver-control-plane",
        "docs/decisions/event-log",
        "docs/decisions/client",
        "docs/decisions/archive",
        "docs/decisions/consensus-module",
        "docs/decisions/ingress-to-commit",
        "docs/decisions/elections",
        "docs/decisions/cluster-sessions",
        "docs/decisions/cluster-state",
        "docs/decisions/service-container",
        "docs/decisions/surviving-client",
        "docs/decisions/node",
        "docs/decisions/backup",
        "docs/decisions/tools",
        "docs/decisions/seams-and-simulator",
        "docs/decisions/pipeline",
    ],
}

project = "aeron_cluster"
root_doc = "docs/README"
extensions = ["myst_parser", "sphinx.ext.autodoc", "numpydoc"]
include_patterns = ["*.md", "docs/**", "examples/*.md", "benchmarks/*.md"]
exclude_patterns = ["docs/conf.py"]
html_theme = "furo"
html_title = "aeron_cluster"
html_copy_source = False
default_role = "py:obj"
myst_heading_anchors = 3
autodoc_member_order = "bysource"
numpydoc_show_class_members = False
# Two public classes are named Cluster: that name alone, as a type in a docstring, is ambiguous.
suppress_warnings = ["ref.python"]


def add_contents(_: Sphinx, name: str, source: list[str]) -> None:
    """Append the table of contents to the first page: other readers of it have links."""
    if name != root_doc:
        return
    for caption, pages in NAV.items():
        lines = [
            f"```{{toctree}}\n:hidden:\n:caption: {caption}\n",
            *(f"/{page}" for page in pages),
        ]
        source[0] += "\n" + "\n".join(lines) + "\n```\n"


def add_reference(_: Sphinx, name: str, source: list[str]) -> None:
    """Append the public names of a module to its page."""
    page = name.removeprefix("docs/reference/")
    if page == name:
        return
    seen: set[int] = set()
    for other, module_name in REFERENCE.items():
        module = importlib.import_module(module_name)
        found = [each for each in sorted(module.__all__) if id(getattr(module, each)) not in seen]
        seen.update(id(getattr(module, each)) for each in found)
        if other == page:
            lines = [line for each in found for line in _directive(module, each)]
            source[0] += "\n```{eval-rst}\n" + "\n".join(lines) + "\n```\n"


def _directive(module: ModuleType, name: str) -> list[str]:
    value = getattr(module, name)
    path = f"{module.__name__}.{name}"
    if isinstance(value, type):
        others = {
            each.__name__ for each in value.__mro__ if not each.__module__.startswith(project)
        }
        inherited = ", ".join(sorted(others))
        return [f".. autoclass:: {path}", "   :members:", f"   :inherited-members: {inherited}", ""]
    if callable(value):
        return [f".. autofunction:: {path}", ""]
    return [f".. autodata:: {path}", ""]


def add_first_page(app: Sphinx, error: Exception | None) -> None:
    """Write index.html, which leads to the first page."""
    if error is None:
        page = f'<!DOCTYPE html><meta http-equiv="refresh" content="0; url={root_doc}.html">\n'
        Path(app.outdir, "index.html").write_text(page)


def setup(app: Sphinx) -> None:
    """Connect what changes pages."""
    app.connect("source-read", add_contents)
    app.connect("source-read", add_reference)
    app.connect("build-finished", add_first_page)
