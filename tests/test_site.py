"""The site of the documentation: its order of pages, and the links of the pages."""

import importlib
import importlib.util
import re
from collections import Counter
from functools import cache

import pytest

from tests.conftest import ROOT
from tests.pages import pages

_LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")


@cache
def settings():
    """Return the module that configures the site; it imports nothing of Sphinx."""
    spec = importlib.util.spec_from_file_location("site_settings", ROOT / "docs/conf.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def name_of(page):
    return str(page.relative_to(ROOT).with_suffix(""))


def test_every_page_is_in_the_contents_once():
    contents = Counter(page for part in settings().NAV.values() for page in part)
    expected = {name_of(page) for page in pages()} - {settings().root_doc}
    assert set(contents) == expected
    assert set(contents.values()) == {1}


@cache
def anchors_of(page):
    """Return the anchors of a page's headings, as code hosts and the site generate them."""
    text = re.sub(r"```.*?\n```", "", page.read_text(), flags=re.DOTALL)
    headings = re.findall(r"^#+ (.*)$", text, re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("page", pages(), ids=name_of)
def test_the_targets_of_links_exist(page):
    text = re.sub(r"```.*?\n```", "", page.read_text(), flags=re.DOTALL)
    for link in _LINK.findall(text):
        path, _, anchor = link.partition("#")
        if path.startswith(("http:", "https:")):
            continue
        target = (page.parent / path).resolve() if path else page
        assert target.exists(), link
        assert not anchor or anchor in anchors_of(target), link


@pytest.mark.parametrize("page", pages(), ids=name_of)
def test_files_that_it_names_by_their_paths_exist(page):
    named = re.findall(r"`((?:benchmarks|docs|tools|examples)/[\w./-]+)`", page.read_text())
    assert [name for name in named if not (ROOT / name).exists()] == []


def test_the_reference_has_a_page_for_each_module_and_names_on_it():
    for name, module in settings().REFERENCE.items():
        assert (ROOT / f"docs/reference/{name}.md").read_text().startswith(f"# {module}\n")
        assert importlib.import_module(module).__all__


def test_the_site_loads_nothing_from_a_network():
    # Files that a theme or an extension would fetch; `make docs` checks the built site.
    assert not re.search(r"https?:|_js_files|_css_files", (ROOT / "docs/conf.py").read_text())
