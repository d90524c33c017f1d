"""``python -m tests.hostile``: a real cluster under hostile datagrams for ten minutes."""

from tests.conftest import ROOT
from tests.hostile.siege import Siege
from tests.soak import command
from tests.soak.soak import Settings


def main():
    """Run one."""
    parser = command.parser("tests.hostile", __doc__, "duration of the attack")
    parser.add_argument("--kind", choices=["stranger", "insider"], default="stranger")
    given = parser.parse_args()

    def make(seed, report, port_base):
        settings = Settings(seed, given.seconds, report, port_base)
        return Siege(settings, command.emit, kind=given.kind)

    def hold(siege):
        return f"{siege.run()}; sent {dict(siege.sent)}"

    command.run(given, lambda seed: ROOT / "build" / "hostile" / f"{seed}", make, hold)


if __name__ == "__main__":
    main()
