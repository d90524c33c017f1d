"""What exceptions of users' callbacks become."""

import pytest

from aeron_cluster.errors import CallbackExitError
from aeron_cluster.memory.agents.user_callback import as_exception


def test_exception_is_unchanged():
    error = ValueError("mine")
    assert as_exception("on_start", error) is error


def test_exit_is_an_exception_that_names_the_callback():
    found = as_exception("on_start", SystemExit(3))
    assert isinstance(found, CallbackExitError)
    assert "on_start" in str(found)


def test_interrupt_propagates():
    with pytest.raises(KeyboardInterrupt):
        as_exception("on_start", KeyboardInterrupt())
