from aeron_cluster.pipeline.files.members import MemberDirectories as MemberDirectories
from aeron_cluster.pipeline.jobs.audit import audit as audit
from aeron_cluster.pipeline.jobs.compaction import compact as compact
from aeron_cluster.pipeline.jobs.compaction_check import verify as verify
from aeron_cluster.pipeline.jobs.latency import analyze_latency as analyze_latency
from aeron_cluster.pipeline.jobs.sessions import analyze_sessions as analyze_sessions
from aeron_cluster.pipeline.jobs.state_at import state_at as state_at
from aeron_cluster.pipeline.payloads.arrow_decoder import arrow_decoder as arrow_decoder
from aeron_cluster.pipeline.payloads.function_decoder import function_decoder as function_decoder
from aeron_cluster.pipeline.payloads.json_decoder import json_decoder as json_decoder
from aeron_cluster.pipeline.payloads.sbe_decoder import sbe_decoder as sbe_decoder
from aeron_cluster.pipeline.read import (
    Rows as Rows,
)
from aeron_cluster.pipeline.read import (
    read_log as read_log,
)
from aeron_cluster.pipeline.read import (
    read_recording as read_recording,
)
from aeron_cluster.pipeline.spark.session import local_session as local_session

__all__ = [
    "MemberDirectories",
    "Rows",
    "analyze_latency",
    "analyze_sessions",
    "arrow_decoder",
    "audit",
    "compact",
    "function_decoder",
    "json_decoder",
    "local_session",
    "read_log",
    "read_recording",
    "sbe_decoder",
    "state_at",
    "verify",
]
