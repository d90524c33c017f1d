"""The service of a soak: it answers plain and de-duplicated requests."""

from aeron_cluster.simulator.clients.reference import ReferenceService


class Service(ReferenceService):
    """The reference service, with a table of surviving clients."""

    def __init__(self):
        super().__init__(deduplicates=True)
