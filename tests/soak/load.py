"""The requests of a soak's client: no two write the same value, so an answer shows which one was
applied.
"""

from aeron_cluster.simulator.clients.reference import ReferenceLoad, Verb

_VALUE_BITS = 40  # of numbers; the bits above have the client


class UniqueLoad(ReferenceLoad):
    """Requests as in the simulator, with unique values; most comparisons are with the value that
    the client saw last.
    """

    _seen = 0

    def _make(self, request, now_ns):
        value = (request.client + 1) << _VALUE_BITS | request.number
        match request.verb:
            case Verb.WRITE | Verb.PUSH:
                request = request._replace(first=value)
            case Verb.COMPARE_AND_SET:
                request = request._replace(first=self._seen, second=value)
            case Verb.RELAY:
                request = request._replace(second=value)
            case _:
                pass
        return super()._make(request, now_ns)

    def on_response(self, payload, now_ns):
        super().on_response(payload, now_ns)
        last = self._answered(payload)
        match last.request.verb:
            case Verb.WRITE:
                self._seen = last.request.first
            case Verb.READ:
                self._seen = last.answer
            case Verb.COMPARE_AND_SET if last.answer:
                self._seen = last.request.second
            case _:
                pass

    def _answered(self, payload):
        return self.operations[int.from_bytes(payload[4:8], "little")]
