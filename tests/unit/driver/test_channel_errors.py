"""The codes and texts of rejected channels are those of Java's driver (channel_errors.txt).

The file has what that driver answered to the same commands. Not in it are texts of the JVM about a
number that it could not read, for which ours names the parameter.
"""

import pytest

from tests.conftest import ROOT
from tests.unit.driver.driver_rig import DriverRig

ANSWERS = (ROOT / "tests/golden/channel_errors.txt").read_text().splitlines()[1:]


@pytest.fixture(scope="module")
def rig(tmp_path_factory):
    driver_rig = DriverRig(tmp_path_factory.mktemp("driver") / "driver")
    yield driver_rig
    driver_rig.close()


@pytest.mark.parametrize("answer", ANSWERS)
def test_a_rejected_channel_has_the_code_and_the_text_of_java(rig, answer):
    command, _, expected = answer.partition(" => ")
    kind, channel = command.split(" ", 1)
    code, text = expected.split(" ", 1)
    if kind == "S":
        request = rig.add_subscription(channel)
    else:
        request = rig.add_publication(channel, exclusive=kind == "X")
    found_code, found_text = rig.error(request)
    assert found_text.startswith(text)
    assert int(found_code) == int(code)
