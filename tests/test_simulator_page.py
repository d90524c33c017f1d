"""The examples of docs/simulator.md run: its service under its tests."""

import importlib
import re
import sys

import pytest

from aeron_cluster import ClusteredService
from aeron_cluster.memory.system.seams import SeededRandom
from aeron_cluster.simulator import FailedSeedError, check
from tests.conftest import ROOT
from tests.pages import block_of

PAGE = (ROOT / "docs/simulator.md").read_text()
BLOCKS = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)


@pytest.fixture
def tests_of_page(tmp_path, monkeypatch):
    """Write the page's example into modules, and return the module of the tests."""
    (service,) = [block for block in BLOCKS if "class Orders(ClusteredService)" in block]
    (tests,) = [block for block in BLOCKS if "check(Orders" in block]
    (tmp_path / "orders.py").write_text(service)
    (tmp_path / "test_orders.py").write_text(tests)
    monkeypatch.syspath_prepend(str(tmp_path))
    yield importlib.import_module("test_orders")
    for name in ("orders", "test_orders"):
        del sys.modules[name]


def fewer(tests, monkeypatch):
    """Limit the page's tests to one seed of three seconds each."""

    def run(service, *, seeds, seconds=27, load=None):
        assert seeds > 1
        assert seconds > 3
        check(service, seeds=[2], seconds=3, load=load, max_runs=1)

    monkeypatch.setattr(tests, "check", run)


def test_its_tests_pass(tests_of_page, monkeypatch):
    fewer(tests_of_page, monkeypatch)
    tests_of_page.test_no_order_is_lost()
    tests_of_page.test_orders_take_what_any_client_may_send()


def test_the_pages_tests_detect_a_fault(tests_of_page, monkeypatch):
    fewer(tests_of_page, monkeypatch)
    monkeypatch.setattr(tests_of_page.Orders, "load", lambda *_: None)
    with pytest.raises(FailedSeedError, match=r"repeat with: aeron-cluster sim --service orders:"):
        tests_of_page.test_no_order_is_lost()


def test_its_load_sends_and_checks_answers():
    names = {}
    exec(block_of("docs/simulator.md", "from aeron_cluster.simulator import Load\n").text, names)
    load = names["make_load"](7, SeededRandom(1))
    assert re.fullmatch(rb"buy \d+ from client 7", load.next_request(0))
    assert load.next_request(19_999_999) is None
    assert load.next_request(80_000_000) is not None
    load.on_response(b"bought 7", 0)
    with pytest.raises(AssertionError):
        load.on_response(b"sold", 0)


class Answers(ClusteredService):
    """Answers each message with itself."""

    def on_session_message(self, session, _timestamp, message, _header):
        session.offer(message)


def test_its_cluster_survives_its_leader():
    names = {"seed": 1, "MyService": Answers}
    exec(block_of("docs/simulator.md", "from aeron_cluster.simulator import Cluster").text, names)
    names["test_an_order_survives_its_leader"]()
