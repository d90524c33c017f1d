"""Every environment variable of Aeron's C driver, client and archive client is an option.

``tests/golden/c_environment.txt`` lists them. ``AERON_NAME_RESOLVER_CSV_LOOKUP_TABLE_ARGS`` is
left out: upstream defines it, and reads it nowhere, so it ends the start.
"""

from pathlib import Path

import pytest

from aeron_cluster.config import ALL_OPTIONS, DRIVER_OPTIONS, resolve
from aeron_cluster.driver.context import DriverContext
from aeron_cluster.driver.option_names import NAMES, UNAVAILABLE
from aeron_cluster.errors import ConfigurationError

LISTED = Path(__file__).parents[1] / "golden/c_environment.txt"
VARIABLES = [each for each in LISTED.read_text().split("\n")[1:] if each]
OPTIONS = {option.environment: option for option in ALL_OPTIONS}
CHECKED = {
    option.environment: option
    for option in DRIVER_OPTIONS
    if option.keyword in NAMES or option.keyword in UNAVAILABLE
}
SENSELESS = "\N{BLACK HEART SUIT}"


def test_the_list_is_that_of_the_release():
    assert len(VARIABLES) == 138
    assert sorted(set(VARIABLES)) == VARIABLES


@pytest.mark.parametrize("variable", VARIABLES)
def test_a_variable_is_an_option_that_rejects_a_senseless_value(variable):
    option = OPTIONS[variable]
    if option.kind == "str":
        assert resolve([option], {}, {}, {variable: "text"})[option.keyword] == "text"
        return
    with pytest.raises(ConfigurationError) as raised:
        resolve([option], {}, {}, {variable: SENSELESS})
    assert variable in str(raised.value)
    assert SENSELESS in str(raised.value)


@pytest.mark.parametrize("variable", sorted(CHECKED.keys() & {*VARIABLES}))
def test_a_driver_rejects_a_strategy_or_a_feature_that_it_lacks(variable, monkeypatch):
    option = CHECKED[variable]
    value = {"bool": "false", "duration_ns": "17s"}.get(option.kind, SENSELESS)
    monkeypatch.setenv(variable, value)
    with pytest.raises(ConfigurationError) as raised:
        DriverContext()
    assert option.name in str(raised.value)


def test_the_variable_that_upstream_reads_nowhere_ends_the_start():
    variable = "AERON_NAME_RESOLVER_CSV_LOOKUP_TABLE_ARGS"
    with pytest.raises(ConfigurationError) as raised:
        DriverContext(environment={variable: "name,localhost,127.0.0.2"})
    assert str(raised.value).startswith(f"{variable}: expected it unset")
    assert "AERON_NAME_RESOLVER_INIT_ARGS" in str(raised.value)
