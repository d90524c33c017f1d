"""Read recordings of archives, including the logs of clusters, as columns."""

from aeron_cluster.exports import export

__all__, __getattr__, __dir__ = export(
    __name__,
    {
        "pipeline.files.members": ("MemberDirectories",),
        "pipeline.jobs.audit": ("audit",),
        "pipeline.jobs.compaction": ("compact",),
        "pipeline.jobs.compaction_check": ("verify",),
        "pipeline.jobs.latency": ("analyze_latency",),
        "pipeline.jobs.sessions": ("analyze_sessions",),
        "pipeline.jobs.state_at": ("state_at",),
        "pipeline.payloads.arrow_decoder": ("arrow_decoder",),
        "pipeline.payloads.function_decoder": ("function_decoder",),
        "pipeline.payloads.json_decoder": ("json_decoder",),
        "pipeline.payloads.sbe_decoder": ("sbe_decoder",),
        "pipeline.read": (
            "Rows",
            "read_log",
            "read_recording",
        ),
        "pipeline.spark.session": ("local_session",),
    },
)
