"""A gateway from TCP to a cluster, with asyncio: a line is a request, and a line answers it.

Run it, with a node of the key-value store in the same process, and connect to the printed port,
for example with ``nc localhost PORT``, from as many terminals as you like::

    python -m examples.gateway

or in front of three members that run already::

    aeron-cluster local 3 --service examples.key_value_store:KeyValueStore
    python -m examples.gateway 7000 localhost:9001,localhost:9011,localhost:9021

All connections share one client: thousands of requests may be in flight, and each is applied once,
even if the leader fails meanwhile.
"""

import asyncio
import signal
import sys

from aeron_cluster import AsyncClusterClient
from aeron_cluster.errors import RequestFailedError
from examples.key_value_store import KeyValueStore
from examples.single_node import running


async def serve_connection(
    client: AsyncClusterClient, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
) -> None:
    """Answer the requests of a connection, in order, until it ends."""
    try:
        while line := await reader.readline():
            try:
                answer = await client.request(line.strip())
            except RequestFailedError as error:
                answer = f"{error.outcome}: {error.reason}".encode()
            writer.write(answer + b"\n")
            await writer.drain()  # a slow connection waits for itself alone
    finally:
        writer.close()


async def serve(port: int, endpoints: str) -> None:
    """Serve connections until SIGINT or SIGTERM."""
    ended = asyncio.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(number, ended.set)
    async with await AsyncClusterClient.connect(endpoints) as client:
        server = await asyncio.start_server(
            lambda reader, writer: serve_connection(client, reader, writer), "localhost", port
        )
        async with server:
            print("listening at port", server.sockets[0].getsockname()[1], flush=True)
            await ended.wait()


def main(arguments: list[str]) -> None:
    """Serve at a port, which is a free one by default, in front of a cluster."""
    port = int(arguments[0]) if arguments else 0
    if len(arguments) > 1:
        asyncio.run(serve(port, arguments[1]))
    else:
        with running(KeyValueStore()) as endpoint:
            asyncio.run(serve(port, endpoint))


if __name__ == "__main__":
    main(sys.argv[1:])
