"""``python -m tests.mixed``: Java, C and our clients on our driver, for ten minutes.

With ``--aeron`` and a source tree of Aeron its C client takes part too. Clients are killed, closed,
paused and started again, streams are added and removed, and 5 % of all datagrams are lost.
"""

from pathlib import Path

from tests.interop.conftest import BUILD
from tests.interop.java_peer import JavaUnavailableError, fetch_jar
from tests.mixed.clients import build
from tests.mixed.mixed import LOSS_RATE, Mixed, Settings, default_report
from tests.soak import command


def main():
    """Run once."""
    parser = command.parser("tests.mixed", __doc__, "time within which events begin")
    parser.add_argument("--aeron", type=Path, help="source tree of Aeron, for its C client")
    parser.add_argument("--loss", type=float, default=LOSS_RATE, help="share of lost datagrams")
    given = parser.parse_args()
    try:
        java = fetch_jar(BUILD).parent
    except JavaUnavailableError as error:
        java = None
        command.emit(f"without the Java client: {error}")
    if given.aeron is None:
        command.emit("without the C client: AERON=path gives the source tree to build it from")
    programs = build(java, given.aeron)

    def make(seed, report, port_base):
        settings = Settings(seed, given.seconds, report, port_base, programs, loss_rate=given.loss)
        return Mixed(settings, command.emit)

    command.run(given, default_report, make)


if __name__ == "__main__":
    main()
