"""A service with wrong answers, which aeron-cluster sim must detect."""

from aeron_cluster.simulator.clients.reference import ReferenceService, ReferenceState


class WrongState(ReferenceState):
    def apply(self, request):
        return super().apply(request) + 1


class Wrong(ReferenceService):
    def on_start(self, cluster, snapshot_image):
        super().on_start(cluster, snapshot_image)
        wrong = WrongState()
        vars(wrong).update(vars(self.state))
        self.state = wrong
