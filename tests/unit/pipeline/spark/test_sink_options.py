"""Options of the Spark sink, which are all text."""

import pickle
from pathlib import Path

import pytest

from aeron_cluster.errors import ConfigurationError
from aeron_cluster.pipeline.spark.sink_options import parse_sink_options


def test_endpoints_alone_locate_the_cluster():
    found = parse_sink_options({"Ingress_Endpoints": "0=a:1,1=b:1"})
    assert (found.target.ingress_channel, found.target.ingress_endpoints) == (
        "aeron:udp",
        "0=a:1,1=b:1",
    )
    assert (found.columns.payload, found.columns.key) == ("payload", None)
    assert (found.promise, found.rejected, found.write_id) == ("applied", "fail", None)
    assert pickle.loads(pickle.dumps(found)) == found


def test_values_are_those_of_the_writers_arguments():
    found = parse_sink_options(
        {
            "ingress_channel": "aeron:ipc",
            "egress_channel": "aeron:udp?endpoint=10.0.0.1:0",
            "aeron_dir": "/d",
            "credentials_file": "/c",
            "timeout_s": "2.5",
            "payload": "p",
            "key": "k",
            "cluster_dir": "node0/cluster",
            "rejected": "report",
            "window_length": "7",
            "write_id": "day-2026.11_22",
            "report_dir": "reports",
            "checkpointLocation": "/x",
            "queryName": "q",
            "serialization.format": "1",
        }
    )
    target = found.target
    assert (target.ingress_channel, target.egress_channel) == (
        "aeron:ipc",
        "aeron:udp?endpoint=10.0.0.1:0",
    )
    assert (target.aeron_dir, target.credentials_file, target.timeout_ns) == (
        "/d",
        "/c",
        2_500_000_000,
    )
    assert (found.columns.payload, found.columns.key) == ("p", "k")
    assert found.cluster_dir == str(Path("node0/cluster").absolute())
    assert found.report_dir == str(Path("reports").absolute())
    assert (found.rejected, found.window_length, found.write_id) == ("report", 7, "day-2026.11_22")


@pytest.mark.parametrize(
    ("options", "text"),
    [
        ({}, "ingress_endpoints: expected id=host:port of each member, found 'none'"),
        ({"path": "/x"}, "option: expected one of ingress_channel"),
        ({"promise": "maybe"}, "promise: expected applied or offered"),
        ({"rejected": "ignore"}, "rejected: expected fail or report"),
        ({"timeout_s": "0"}, "timeout_s: expected a number of seconds above 0"),
        ({"timeout_s": "inf"}, "timeout_s: expected a number of seconds above 0"),
        ({"timeout_s": "nan"}, "timeout_s: expected a number of seconds above 0"),
        ({"window_length": "0"}, "window_length: expected a number above 0"),
        ({"write_id": "a/b"}, "write_id: expected letters"),
        ({"promise": "offered", "window_length": "3"}, "none with promise=offered"),
        ({"promise": "offered", "rejected": "report"}, "none with promise=offered"),
    ],
)
def test_an_invalid_value_is_rejected(options, text):
    given = {"ingress_endpoints": "0=a:1", **options} if options else {}
    with pytest.raises(ConfigurationError) as error:
        parse_sink_options(given)
    assert text in str(error.value)
