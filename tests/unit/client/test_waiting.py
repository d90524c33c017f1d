from types import SimpleNamespace

from aeron_cluster.client.waiting import await_image, await_subscription
from aeron_cluster.memory.agents.waiting import Task


def test_steps_ended_before_the_drivers_answer_abandon_the_request():
    abandoned = []
    aeron = SimpleNamespace(
        async_add_subscription=lambda *_: 7,
        get_subscription=lambda _: None,
        abandon=abandoned.append,
    )
    task = Task(await_subscription(aeron, "aeron:ipc", 1))
    task.do_work()
    assert abandoned == []
    task.close()
    assert abandoned == [7]


def test_image_of_a_session_is_awaited():
    images = {}
    task = Task(await_image(SimpleNamespace(image_by_session_id=images.get), 7))
    images[6] = "another"
    assert task.do_work() == 0
    images[7] = "the image"
    task.do_work()
    assert (task.is_done, task.result) == (True, "the image")
