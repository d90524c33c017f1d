"""The channels of a mixed run."""

from dataclasses import dataclass

from tests.interop.multicast import has_multicast

_GROUP = "224.20.30.43"
PORT_COUNT = 6
_TERM = "term-length=128k"


@dataclass(frozen=True)
class Channel:
    """A stream that any client may publish or subscribe to.

    Parameters
    ----------
    name
    stream_id
    publication
        The URI of its publications, and the destinations that are added to it.
    subscriptions
        The same of its subscriptions, of which each uses one.
    is_reliable
        Whether subscriptions receive every message.
    """

    name: str
    stream_id: int
    publication: tuple[str, ...]
    subscriptions: tuple[tuple[str, ...], ...]
    is_reliable: bool = True


def all_channels(port):
    """Return the channels, on the `PORT_COUNT` ports from the given one.

    Streams with several receivers have a flow control that waits for the slowest.
    """
    udp = _at(port)
    control = f"aeron:udp?control=127.0.0.1:{port + 1}|control-mode=dynamic"
    receiver = f"{control}|endpoint=127.0.0.1:0"
    lossy = _at(port + 2)
    group = f"aeron:udp?endpoint={_GROUP}:{port + 3}|interface=127.0.0.1"
    listed = _at(port + 4), _at(port + 5)
    manual = "aeron:udp?control-mode=manual"
    found = [
        Channel("ipc", 2001, (f"aeron:ipc?{_TERM}",), (("aeron:ipc",),)),
        Channel("udp", 2002, (f"{udp}|{_TERM}",), ((udp,), (f"aeron-spy:{udp}",))),
        Channel(
            "dynamic destinations",
            2003,
            (f"{control}|fc=min|{_TERM}",),
            ((receiver,), (manual, receiver), (f"aeron-spy:{control}",)),
        ),
        Channel("unreliable", 2004, (f"{lossy}|{_TERM}",), ((f"{lossy}|reliable=false",),), False),
        Channel(
            "manual destinations",
            2006,
            (f"{manual}|fc=min|{_TERM}", *listed),
            tuple((each,) for each in listed),
        ),
    ]
    if has_multicast():
        found.append(Channel("multicast", 2005, (f"{group}|fc=min|{_TERM}",), ((group,),)))
    return found


def _at(port):
    return f"aeron:udp?endpoint=127.0.0.1:{port}"
