"""``python -m tests.soak``: real processes killed, paused and cut off for ten minutes."""

from tests.soak import command
from tests.soak.soak import ANSWER_BOUND_S, Settings, Soak, default_report


def main():
    """Run one soak."""
    parser = command.parser("tests.soak", __doc__, "time during which faults begin")
    parser.add_argument("--bound", type=float, default=ANSWER_BOUND_S, help="to an answer, in s")
    given = parser.parse_args()

    def hold(seed, report, port_base):
        settings = Settings(seed, given.seconds, report, port_base, given.bound)
        return Soak(settings, command.emit).run()

    command.run(given, default_report, hold)


if __name__ == "__main__":
    main()
