"""The barrier opened by a signal: at any time, and any number of times."""

import signal
import sys
import threading

import pytest

from aeron_cluster.memory.system.signals import ShutdownSignalBarrier


@pytest.fixture(autouse=True)
def alarm():
    """Make a wait that blocks forever fail."""

    def on_alarm(*_):
        raise AssertionError("the wait is blocked")

    before = signal.signal(signal.SIGALRM, on_alarm)
    signal.setitimer(signal.ITIMER_REAL, 20.0)
    yield
    signal.setitimer(signal.ITIMER_REAL, 0)
    signal.signal(signal.SIGALRM, before)


def test_a_signal_at_any_step_of_a_wait_opens_it():
    step = count = 0
    before = sys.gettrace()  # of a debugger, or of make coverage

    def trace(frame, _event, _argument):
        nonlocal count
        frame.f_trace_opcodes = True
        count += 1
        if count == step:
            sys.settrace(None)
            signal.raise_signal(signal.SIGUSR1)
            signal.raise_signal(signal.SIGUSR1)
        return trace

    while True:
        step, count = step + 1, 0
        with ShutdownSignalBarrier((signal.SIGUSR1,)) as barrier:
            sys.settrace(trace)
            is_open = barrier.wait(0.0001)
            sys.settrace(before)
            if count < step:  # a wait has fewer steps
                break
            assert barrier.received is signal.SIGUSR1
            assert is_open or barrier.wait()
    assert step > 10


def test_ignored_hangup_stays_ignored():
    """As after nohup."""
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        with ShutdownSignalBarrier((signal.SIGHUP, signal.SIGUSR1)) as barrier:
            assert signal.getsignal(signal.SIGHUP) is signal.SIG_IGN
            signal.raise_signal(signal.SIGHUP)
            assert not barrier.wait(0)
            signal.raise_signal(signal.SIGUSR1)
            assert barrier.wait(0)
        assert signal.getsignal(signal.SIGHUP) is signal.SIG_IGN
    finally:
        signal.signal(signal.SIGHUP, before)


def test_barrier_opens_once_and_stays_open():
    with ShutdownSignalBarrier((signal.SIGUSR1,)) as barrier:
        assert not barrier.wait(0)
        assert not barrier.wait(0.001)
        barrier.signal()
        assert all(barrier.wait() for _ in range(3))
        assert barrier.received is None


def test_a_wait_ends_if_its_deadline_passes_before_it_begins():
    for _ in range(1_000):
        assert not ShutdownSignalBarrier().wait(1e-9)
        assert not ShutdownSignalBarrier().wait(1e-6)


def test_an_opened_barrier_wakes_all_waiting_threads():
    barrier = ShutdownSignalBarrier()
    threads = [threading.Thread(target=barrier.wait, daemon=True) for _ in range(3)]
    for each in threads:
        each.start()
    barrier.signal()
    for each in threads:
        each.join()
