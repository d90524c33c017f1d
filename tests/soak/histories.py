"""The files of the clients' requests and answers: one line of JSON for each request."""

import json
from dataclasses import asdict

from aeron_cluster.simulator.clients.reference import Operation, Request


def read_history(path):
    """Return the operations that a client wrote."""
    lines = map(json.loads, path.read_text().splitlines())
    return [Operation(Request.decode(bytes.fromhex(each.pop("request"))), **each) for each in lines]


def write_history(path, operations):
    """Write a client's operations."""
    with path.open("w") as file:
        for each in operations:
            line = asdict(each) | {"request": each.request.encode().hex()}
            file.write(json.dumps(line) + "\n")
