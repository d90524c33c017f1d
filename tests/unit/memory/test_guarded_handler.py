"""Error handlers of the user that raise."""

import pytest

from aeron_cluster.errors import AgentTerminationError
from aeron_cluster.memory.agents.guarded_handler import guarded_handler


def test_a_handler_is_called_with_each_error():
    errors = []
    guarded = guarded_handler(errors.append)
    given = [ValueError("one"), OSError("two")]
    assert [guarded(each) for each in given] == [None, None]
    assert errors == given


def test_a_failing_handler_is_logged(caplog):
    failure = ValueError("mine")

    def fail(_):
        raise failure

    guarded_handler(fail)(OSError("of the module"))
    (record,) = caplog.records
    assert record.message == "the error handler failed"
    assert record.exc_info[1] is failure


@pytest.mark.parametrize(
    "raised", [AgentTerminationError("over"), KeyboardInterrupt(), SystemExit(3)], ids=repr
)
def test_a_handler_may_end_its_caller(raised):
    def end(_):
        raise raised

    with pytest.raises(type(raised)) as caught:
        guarded_handler(end)(OSError("of the module"))
    assert caught.value is raised
