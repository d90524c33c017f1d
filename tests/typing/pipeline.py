"""Reading a log as columns, as a user writes it."""

from datetime import UTC, datetime
from pathlib import Path

from aeron_cluster.errors import PayloadError, SegmentError
from aeron_cluster.pipeline import MemberDirectories, Rows, read_log, read_recording
from aeron_cluster.pipeline.payloads import (
    PayloadDecoder,
    function_decoder,
    json_decoder,
    sbe_decoder,
)


def orders(node: Path) -> int:
    rows: Rows = read_log(
        node,
        MemberDirectories("archive", "cluster"),
        columns=["position", "payload"],
        from_time=datetime(2026, 1, 1, tzinfo=UTC),
        message_types=["SessionMessage"],
        mode="permissive",
    )
    lost: int = sum(gap.to_position - gap.from_position for gap in rows.left_out)
    return lost + sum(int(batch.num_rows) for batch in rows.batches())


def recorded(archive: Path) -> tuple[str, int]:
    try:
        read_recording(archive, 3, assembled=False).table()
    except SegmentError as error:
        return error.segment, error.recording_id + error.offset + error.resume_position
    return "", 0


def decoded(node: Path) -> list[str]:
    decoders: list[PayloadDecoder] = [
        sbe_decoder("market.xml", "Order", unknown="null"),
        json_decoder("id int64", prefix="j_"),
        function_decoder(lambda payload: {"length": len(payload)}, "length int32"),
    ]
    try:
        return [str(read_log(node, payload=decoder).schema) for decoder in decoders]
    except PayloadError as error:
        return [f"{error.position + error.offset}: {error.what}"]
