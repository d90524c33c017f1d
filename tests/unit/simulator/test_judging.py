"""Exceptions of a service's callback: its own, a plan's, or of a call to the cluster."""

import json

import pytest

from aeron_cluster.errors import (
    AeronClusterError,
    ClosedError,
    ConfigurationError,
    NondeterminismError,
    ServiceCallbackError,
)
from aeron_cluster.simulator.checks.service_errors import is_of_service, service_invariant_error
from aeron_cluster.simulator.members.service_faults import ServiceFaults, SimulatedServiceError
from aeron_cluster.simulator.members.source_lines import line_of_call, line_of_error
from aeron_cluster.simulator.trials.settings import Settings
from aeron_cluster.simulator.trials.trial import Trial


class Orders:
    def on_session_message(self, session, message):
        pass


def raised_by(callback, name="on_session_message"):
    error = ServiceCallbackError("service", name, 64, 1, member_id=0, leadership_term_id=0)
    with pytest.raises((AeronClusterError, OSError, ArithmeticError)) as found:
        callback()
    error.__cause__ = found.value
    return error


def raise_closed():
    raise ClosedError("raised here, whatever its type")


def test_an_exception_of_a_callback_is_the_services():
    assert is_of_service(raised_by(lambda: 1 // 0))
    assert is_of_service(raised_by(lambda: open("/nowhere/at/all")))  # noqa: PTH123, SIM115
    assert is_of_service(raised_by(raise_closed))


def test_service_may_be_in_a_directory_named_like_the_package(tmp_path):
    module = {"raise_closed": None, "ClosedError": ClosedError}
    code = "def raise_closed(): raise ClosedError('raised by a service')"
    exec(compile(code, f"{tmp_path}/aeron_cluster/service.py", "exec"), module)
    assert is_of_service(raised_by(module["raise_closed"]))


def test_an_exception_of_a_plan_or_of_our_own_call_is_not():
    faults = ServiceFaults(lambda: 0)
    faults.fails_snapshot = True
    error = raised_by(faults.on_snapshot)
    assert type(error.__cause__) is SimulatedServiceError
    assert not is_of_service(error)
    # In a snapshot a call may have to fail, since its recording may have ended.
    assert not is_of_service(raised_by(lambda: Settings.of("neither"), "on_take_snapshot"))
    assert not is_of_service(ConfigurationError("name", 1, 2))


def test_a_wrong_call_in_a_callback_of_the_log_is_the_services():
    assert is_of_service(raised_by(lambda: Settings.of("neither")))


def test_exception_of_a_callback_is_described_with_its_line():
    found = service_invariant_error(raised_by(raise_closed), Orders())
    assert found.invariant == "services do not raise"
    line = raise_closed.__code__.co_firstlineno + 1
    assert found.found == (
        "on_session_message raised ClosedError: raised here, whatever its type, at log position"
        f" 64, member 0 (test_judging.py:{line})"
    )
    assert (found.place.service, found.place.path) == ("Orders", __file__)


def test_callback_of_the_wrong_arguments_is_described_with_its_line():
    error = raised_by(raise_closed)
    error.__cause__ = TypeError("takes 3 positional arguments but 5 were given")  # not in Python
    found = service_invariant_error(error, Orders())
    line = Orders.on_session_message.__code__.co_firstlineno
    place = f"at log position 64, member 0 (test_judging.py:{line})"
    assert found.found.endswith(f"5 were given, {place}")


def test_a_call_of_a_clock_is_described():
    def send_request():
        raise NondeterminismError("time.time", "on_session_message", 64, "clock")

    found = service_invariant_error(raised_by(send_request), Orders())
    assert found.invariant == "services are deterministic"
    assert found.found.startswith("on_session_message called time.time (clock), at log position 64")


def test_judged_services_raise_by_no_plan():
    for seed in range(40):
        judged = Trial(seed, Settings(is_judged=True, families=("service",), damages=()))
        names = {type(each).__name__ for each in judged.plan.events}
        assert "ServiceRaises" not in names
        assert judged.cluster.options["container"]["divergence_interval"] > 0


def test_the_innermost_line_of_a_library_is_named_if_no_service_called_it():
    with pytest.raises(json.JSONDecodeError) as found:
        json.loads("no message")
    trace = found.value.__traceback__
    path, line = line_of_error(trace)
    assert (path, line) == (__file__, trace.tb_lineno)
    path, line = line_of_error(trace.tb_next)
    assert path == json.decoder.__file__
    assert line_of_error(None) == ("", 0)


def test_the_line_of_a_call_is_found_without_its_outermost_file():
    path, line = line_of_call("/no/such/file.py")
    assert path == __file__
    assert line > 0
