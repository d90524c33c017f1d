"""Commands on a terminal: what they show below or in place of their lines until Ctrl-C."""

import re
import signal

from aeron_cluster.driver.media_driver import MediaDriver
from tests.terminal import Terminal


def test_driver_shows_its_clients_and_traffic_until_ctrl_c(shm_dir, tmp_path):
    with Terminal("driver", "--dir", str(shm_dir / "driver"), cwd=tmp_path, columns=200) as shown:
        shown.await_text(r"clients 0, publications 0, subscriber images 0, bytes sent 0, ")
        shown.press("\x03")
        assert shown.await_end() == 0, shown.text
    assert re.search(r"media driver in \S+, process \d+\n", shown.text)
    assert shown.text.rstrip().endswith("closed")


def test_watched_screen_is_replaced_and_the_terminal_restored(shm_dir, tmp_path):
    with MediaDriver.launch(aeron_dir=shm_dir / "driver", threading_mode="INVOKER"):
        directory = str(shm_dir / "driver")
        arguments = ("stat", directory, "--watch", "--interval", "0.05")
        with Terminal(*arguments, cwd=tmp_path, lines=60) as shown:
            shown.await_match(lambda: shown.output, "(?s)Bytes sent.*Bytes sent", 60)
            shown.process.send_signal(signal.SIGINT)
            assert shown.await_end() == 0, shown.text
    assert "\x1b[?1049h" in shown.output  # the alternate screen, and back
    assert shown.output.rindex("\x1b[?1049l") > shown.output.rindex("Bytes sent")
