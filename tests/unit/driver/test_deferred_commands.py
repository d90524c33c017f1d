"""Commands that wait for space in the queue of another agent."""

from aeron_cluster.driver.control.deferred_commands import DeferredCommands


class Queue:
    def __init__(self):
        self.space = 0
        self.written = []

    def write(self, command):
        if not self.space:
            return False
        self.space -= 1
        self.written.append(command)
        return True


def test_commands_wait_in_order_for_space():
    queue, errors = Queue(), []
    deferred = DeferredCommands(errors.append)
    for command in "abc":
        deferred.enqueue(lambda command=command: queue.write(command))
    assert deferred.do_work() == 0
    queue.space = 2
    assert deferred.do_work() == 2
    queue.space = 2
    deferred.enqueue(lambda: queue.write("d"))
    assert deferred.do_work() == 2
    assert queue.written == ["a", "b", "c", "d"]
    assert not deferred.waiting
    assert errors == []


def test_a_failed_command_is_reported_once_and_does_not_hold_up_the_next_one():
    queue, errors = Queue(), []
    deferred = DeferredCommands(errors.append)
    failure = ValueError("no longer there")

    def fail():
        if not queue.space:
            return False
        raise failure

    deferred.enqueue(fail)
    deferred.enqueue(lambda: queue.write("next"))
    queue.space = 1
    assert deferred.do_work() == 2
    assert errors == [failure]
    assert queue.written == ["next"]
    assert deferred.do_work() == 0
