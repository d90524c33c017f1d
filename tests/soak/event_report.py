"""The events of a run with real processes, one line of JSON each."""

import json
import time


class EventReport:
    """The report of a run, in a directory `_report`; times are since `_began`."""

    _report = None
    _began = 0.0

    def _note(self, what, **values):
        line = {
            "t": int(time.time() * 1000),
            "at": round(self._now, 3),
            "what": what,
            **values,
        }
        with (self._report / "events.jsonl").open("a") as file:
            file.write(json.dumps(line) + "\n")

    @property
    def _now(self):
        return time.monotonic() - self._began
