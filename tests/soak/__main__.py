"""``python -m tests.soak``: real processes killed, paused and cut off for ten minutes."""

from tests.soak import command
from tests.soak.schedule import KINDS, POWER_FAULTS
from tests.soak.soak import ANSWER_BOUND_S, Settings, Soak, default_report


def main():
    """Run one soak."""
    parser = command.parser("tests.soak", __doc__, "time during which faults begin", "soak")
    parser.add_argument("--bound", type=float, default=ANSWER_BOUND_S, help="to an answer, in s")
    parser.add_argument(
        "--only",
        help=f"kinds of faults, with commas between: {', '.join(KINDS)}; by default all, but power"
        " is lost in runs with an even seed only",
    )
    parser.add_argument(
        "--sync-level",
        type=int,
        choices=(0, 1, 2),
        help="of all members; by default 0, or drawn, 1 or 2, if they lose power",
    )
    given = parser.parse_args()
    only = {*KINDS} if given.only is None else {*given.only.split(",")}
    if unknown := only - {*KINDS}:
        parser.error(f"--only: no such kinds: {', '.join(sorted(unknown))}")

    def make(seed, report, port_base):
        left_out = frozenset(KINDS) - only
        if given.only is None and seed % 2:
            left_out |= POWER_FAULTS
        settings = Settings(
            seed,
            given.seconds,
            report,
            port_base,
            given.bound,
            left_out=left_out,
            sync_level=given.sync_level,
        )
        return Soak(settings, command.emit)

    command.run(given, default_report, make)


if __name__ == "__main__":
    main()
