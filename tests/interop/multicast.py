"""Multicast on the loopback interface."""

import socket


def has_multicast() -> bool:
    """Whether a group can be joined on the loopback interface and receives its own datagrams."""
    group, local = socket.inet_aton("224.20.30.41"), socket.inet_aton("127.0.0.1")
    with (
        socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as receiver,
        socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sender,
    ):
        try:
            receiver.bind(("", 0))
            receiver.settimeout(1)
            receiver.setsockopt(socket.IPPROTO_IP, socket.IP_ADD_MEMBERSHIP, group + local)
            sender.setsockopt(socket.IPPROTO_IP, socket.IP_MULTICAST_IF, local)
            sender.sendto(b"?", ("224.20.30.41", receiver.getsockname()[1]))
            return receiver.recv(1) == b"?"
        except OSError:
            return False
