"""How a service is named on the command line."""

import sys

import pytest

from aeron_cluster.cli.options.services import load_service, parse_service_options
from aeron_cluster.cli.order_matching import OrderMatching
from aeron_cluster.errors import ConfigurationError, NativeServiceError

MODULE = """
from aeron_cluster.cluster.service.clustered_service import ClusteredService

class MyService(ClusteredService):
    pass

class Limited(ClusteredService):
    def __init__(self, size="1", *, path="here"):
        self.size, self.path = int(size), path

def make(**options):
    return Limited(**options)

def make_nothing():
    return None

class NoService:
    pass
"""


@pytest.fixture
def my_module(tmp_path, monkeypatch):
    """Return a module in the current directory, which is not on the path otherwise."""
    monkeypatch.chdir(tmp_path)
    name = f"my_service_{tmp_path.name}"
    (tmp_path / f"{name}.py").write_text(MODULE)
    yield name
    sys.modules.pop(name, None)


def test_class_of_an_installed_module_is_loaded():
    name = "aeron_cluster.cli.order_matching:OrderMatching"
    assert isinstance(load_service(name), OrderMatching)


def test_class_of_a_module_in_the_current_directory_is_loaded(my_module):
    assert type(load_service(f"{my_module}:MyService")).__name__ == "MyService"
    assert sys.path[0] != "."


def test_the_path_is_kept_that_a_module_begins_with_another_directory(
    my_module, tmp_path, monkeypatch
):
    monkeypatch.setattr(sys, "path", before := [*sys.path])
    before = [*before]
    file = tmp_path / f"{my_module}.py"
    file.write_text(f"import sys\nsys.path.insert(0, 'libraries')\n{MODULE}")
    load_service(f"{my_module}:MyService")
    assert sys.path == ["libraries", *before]


@pytest.mark.parametrize("what", ["", "module", "module:", ":Class"])
def test_anything_else_is_rejected_with_the_form(what):
    with pytest.raises(ConfigurationError, match=r"module:Class or lib\.so:symbol"):
        load_service(what)


def test_missing_module_is_named():
    with pytest.raises(ConfigurationError, match="'no_such_module'"):
        load_service("no_such_module:Class")


def test_an_import_error_inside_a_module_is_not_blamed_on_its_name(my_module, tmp_path):
    (tmp_path / f"{my_module}.py").write_text("import no_such_module\n")
    with pytest.raises(ConfigurationError, match="No module named 'no_such_module'"):
        load_service(f"{my_module}:MyService")


@pytest.mark.parametrize("name", ["MyServise", "NoService", "os"])
def test_object_other_than_a_service_is_rejected_with_the_nearest(my_module, name):
    with pytest.raises(ConfigurationError, match=f"did you mean {my_module}:MyService"):
        load_service(f"{my_module}:{name}")


@pytest.mark.parametrize("name", ["Limited", "make"])
def test_a_class_or_factory_gets_its_options(my_module, name):
    made = load_service(f"{my_module}:{name}", {"size": "7", "path": "a=b"})
    assert (made.size, made.path) == (7, "a=b")


def test_unknown_option_is_rejected_with_the_known_ones(my_module):
    with pytest.raises(
        ConfigurationError, match=r"what Limited\(size='1', \*, path='here'\) takes"
    ):
        load_service(f"{my_module}:Limited", {"sise": "7"})


def test_factory_returning_no_service_is_named(my_module):
    with pytest.raises(ConfigurationError, match=r"a service made by .*:make_nothing"):
        load_service(f"{my_module}:make_nothing")


def test_exception_of_the_class_is_printed_with_its_place(my_module):
    with pytest.raises(ConfigurationError, match=rf"ValueError: .*'big'.*{my_module}\.py:\d+"):
        load_service(f"{my_module}:Limited", {"size": "big"})


def test_options_are_of_all_services_or_of_one():
    found = parse_service_options(["a=1", "1:b=x=y", "0:a=2"], 2)
    assert found == [{"a": "2"}, {"a": "1", "b": "x=y"}]


@pytest.mark.parametrize("text", ["", "a", "=1", "2:a=1", "x:y", f"{'9' * 5000}:a=1"])
def test_malformed_option_is_rejected(text):
    with pytest.raises(ConfigurationError, match="--service-option"):
        parse_service_options([text], 2)


def test_a_library_alone_means_the_factory_of_its_name():
    with pytest.raises(NativeServiceError, match="libkv"):
        load_service("./libkv.so")


@pytest.mark.parametrize("what", ["./nowhere:factory", "nowhere.so:factory", "/no/where.so:f"])
def test_a_missing_library_is_named(what):
    with pytest.raises(NativeServiceError, match="where"):
        load_service(what)
