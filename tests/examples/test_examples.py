"""Each example does what its docstring states."""

import asyncio
import re

import pytest

from tests.examples.programs import lines_of, module_of, run, sources, started

ORDERS = """maker: 1 is order 1: 30 at 101
maker: 2 is order 2: 50 at 102
maker: 3 is order 3: 40 at 99
taker: 1 is order 4: 60 at 102
"""
# Each trader's fills are in order, but not those of both.
FILLS = {
    "maker": ["maker: 1 is filled: 30 at 101\n", "maker: 2 is filled: 30 at 102\n"],
    "taker": ["taker: 1 is filled: 30 at 101\n", "taker: 1 is filled: 30 at 102\n"],
}
TOP = "best bid 40 at 99, best ask 20 at 102\n"


def merged(one, other):
    """Return every merge of two lists of lines that keeps the order of each."""
    if not one or not other:
        return ["".join(one + other)]
    return [
        begin[0] + rest
        for begin, after in ((one, other), (other, one))
        for rest in merged(begin[1:], after)
    ]


# By module, what each of its lines prints.
PRINTED = {
    "examples.auction": [r"sold to bob for 8[01]\n"],
    "examples.echo": [r"hello\nworld\n"],
    "examples.key_value_store": [r"ok\ndark red\nok\n1\n"],
    "examples.market_data": [r"100,000 quotes, average price by volume \d+\.\d{4}, equal: True\n"],
    "examples.native": [r"40 42\n", r"40 42\n"],
    "examples.order_book": [f"{re.escape(ORDERS)}(?:{'|'.join(merged(*FILLS.values()))}){TOP}"],
}
LINES = {module_of(source): lines_of(source) for source in sources()}


def test_every_example_is_run():
    assert set(LINES) == {*PRINTED, "examples.gateway", "examples.rolling_replacement"}


@pytest.mark.parametrize("module", PRINTED)
def test_its_lines_print_what_is_expected(module, free_port):
    lines = LINES[module]
    assert len(lines) == len(PRINTED[module])
    for line, printed in zip(lines, PRINTED[module], strict=True):
        assert re.fullmatch(printed, run(line, free_port(10)))


async def send_request(port, *requests):
    reader, writer = await asyncio.open_connection("localhost", port)
    writer.write(b"".join(each + b"\n" for each in requests))
    answers = [(await reader.readline()).strip() for _ in requests]
    writer.close()
    return answers


def test_the_gateway_answers_each_line_of_each_connection(free_port):
    async def ask_all(port):
        keys = [b"%d" % number for number in range(20)]
        answers = await asyncio.gather(
            *(send_request(port, b"set " + key + b" x" + key, b"get " + key) for key in keys)
        )
        assert answers == [[b"ok", b"x" + key] for key in keys]
        assert await send_request(port, b"get none") == [b"rejected: no such key: none"]

    (line,) = LINES["examples.gateway"]
    with started(line, free_port(10)) as process:
        port = int(re.fullmatch(r"listening at port (\d+)\n", process.stdout.readline())[1])
        asyncio.run(asyncio.wait_for(ask_all(port), 60))
    assert process.returncode == 0


def test_java_members_are_replaced_one_by_one(aeron_jar, free_port):
    (line,) = LINES["examples.rolling_replacement"]
    printed = run(line, free_port(30), {"aeron-all-1.51.0.jar": str(aeron_jar)})
    java, snapshot, *replaced = printed.splitlines()
    leader = int(re.fullmatch(r"three Java members, member (\d) leads: the sum is 1", java)[1])
    assert snapshot == f"member {leader}: SNAPSHOT done"
    found = [
        re.fullmatch(r"member (\d) is ours, member \d leads: the sum is (\d)", each).groups()
        for each in replaced
    ]
    assert [int(total) for _, total in found] == [2, 3, 4]
    order = [int(index) for index, _ in found]
    assert sorted(order) == [0, 1, 2]
    assert order[-1] == leader
