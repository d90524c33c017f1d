"""Services that run over a log in another process, in which strings have other hashes.

Effects that depend on the order of a set of strings are the same in all members of a simulated
cluster, since they are in one process. The other process reads pickled requests from its input, and
writes the answers to its output.
"""

from __future__ import annotations

import contextlib
import logging
import os
import pickle
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from aeron_cluster.cluster.service.checked_service import checked
from aeron_cluster.cluster.service.clustered_service import ClusteredService
from aeron_cluster.cluster.service.offline.host import OfflineHost
from aeron_cluster.cluster.service.offline.source import OfflineSource
from aeron_cluster.errors import ServiceInvariantError, StateError
from aeron_cluster.memory.system.closeable import Closeable
from aeron_cluster.memory.system.seams import SystemFiles
from aeron_cluster.simulator.checks.replays import (
    Replay,
    first_difference,
    place_of_entry,
    state_of,
)
from aeron_cluster.simulator.members.source_lines import line_of_call
from aeron_cluster.simulator.world.machine import DIRECTORY

if TYPE_CHECKING:
    from collections.abc import Callable

    from aeron_cluster.cluster.service.offline.host import EffectRecord
    from aeron_cluster.memory.system.seams import Files

__all__ = ["OtherHashes", "serve"]

_SEEDS: Final = ("1", "2")
_HASH_SEED: Final = "PYTHONHASHSEED"
_INVARIANT: Final = "services do not depend on hashes"
_SHOWN: Final = 32


@dataclass(frozen=True)
class _Request:
    """A run for the other process."""

    service: Callable[[], ClusteredService]
    directory: str
    service_id: int
    member_id: int
    until: int


@dataclass(frozen=True)
class _Effect:
    """An effect of a service."""

    position: int
    name: str
    subject: int
    value: int
    payload: bytes
    path: str
    line: int

    @property
    def what(self) -> tuple[object, ...]:
        return self.position, self.name, self.subject, self.value, self.payload

    def __str__(self) -> str:
        more = f"... ({len(self.payload)} bytes)" if len(self.payload) > _SHOWN else ""
        return f"{self.name.replace('_', ' ')} {self.subject}, {self.payload[:_SHOWN]!r}{more}"


@dataclass(frozen=True)
class _Run:
    effects: tuple[_Effect, ...]
    snapshot: tuple[bytes, ...]


class OtherHashes(Closeable):
    """Compares replays of logs with those in another process.

    Attributes
    ----------
    compared : int
        The number of comparisons so far.
    """

    def __init__(self) -> None:
        self.compared = 0
        self._process: subprocess.Popen[bytes] | None = None

    @staticmethod
    def can_run(service: Callable[[], object]) -> bool:
        """Return whether another process can import a service by its name."""
        if getattr(service, "__module__", "__main__") == "__main__":
            return False
        try:
            pickle.dumps(service)
        except (pickle.PicklingError, AttributeError, TypeError):
            return False
        return True

    def compare(self, replay: Replay, service: Callable[[], ClusteredService]) -> None:
        """Run a service over the log of a replay in both processes, and compare its effects.

        Parameters
        ----------
        replay : Replay
        service : callable
            The factory of the service.

        Raises
        ------
        ServiceInvariantError
            The effects differ.
        """
        if not self.can_run(service):
            return
        member_id = replay.member.member_id
        with tempfile.TemporaryDirectory(prefix="aeron-cluster-hashes-") as directory:
            for name in ("cluster", "archive"):
                _write_out(replay.source.files, f"{DIRECTORY}/{name}", Path(directory) / name)
            request = _Request(service, directory, replay.service_id, member_id, replay.until)
            self._send(request)
            own_run = _run(request)
            other_run = self._receive()
        if other_run is None:
            return
        if isinstance(other_run, Exception):
            raise StateError(f"a process with another {_HASH_SEED} failed: {other_run}")
        self.compared += 1
        for index in range(max(len(own_run.effects), len(other_run.effects))):
            one, other = (
                run.effects[index] if index < len(run.effects) else None
                for run in (own_run, other_run)
            )
            if one is None or other is None or one.what != other.what:
                first = min(filter(None, (one, other)), key=lambda each: each.position)
                place = place_of_entry(
                    replay.cluster,
                    replay.journal,
                    first.position,
                    member_id,
                    (first.path, first.line),
                )
                raise ServiceInvariantError(
                    _INVARIANT,
                    f"{place.callback} did {one or 'nothing'} where a process with another"
                    f" {_HASH_SEED} did {other or 'nothing'}, {place}: it depends on the order of"
                    " a set",
                    place,
                )
        if own_run.snapshot != other_run.snapshot:
            place = replay.place_of_snapshot
            difference = first_difference(own_run.snapshot, other_run.snapshot)
            raise ServiceInvariantError(
                _INVARIANT,
                f"on_take_snapshot wrote {difference} in a"
                f" process with another {_HASH_SEED}, {place}: it depends on the order of a set",
                place,
            )

    def start(self) -> None:
        """Start the process, if it is not running, ahead of its first use."""
        if self._process is not None:
            return
        own = os.environ.get(_HASH_SEED)
        path = [str(Path(__file__).parents[3]), os.environ.get("PYTHONPATH", "")]
        self._process = subprocess.Popen(  # noqa: S603 - this interpreter and this module
            [sys.executable, "-c", f"from {__name__} import serve; serve()"],
            env={
                **os.environ,
                _HASH_SEED: next(each for each in _SEEDS if each != own),
                "PYTHONPATH": os.pathsep.join(filter(None, path)),
            },
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )
        self._write(sys.path)

    def _write(self, value: object) -> None:
        assert self._process is not None
        assert self._process.stdin is not None
        pickle.dump(value, self._process.stdin)
        self._process.stdin.flush()

    def _send(self, request: _Request) -> None:
        self.start()
        # Pickled separately: the other process may be unable to import its names.
        self._write(pickle.dumps(request))

    def _receive(self) -> Any:  # noqa: ANN401 - a run, or what was raised
        assert self._process is not None
        assert self._process.stdout is not None
        return pickle.load(self._process.stdout)  # noqa: S301 - of a process of ours

    def close(self) -> None:
        """End the process. Closing again does nothing."""
        process, self._process = self._process, None
        if process is not None:
            process.communicate()


def _write_out(files: Files, source: str, target: Path) -> None:
    target.mkdir()
    for name in files.list(source):
        if files.is_file(f"{source}/{name}"):
            (target / name).write_bytes(files.read(f"{source}/{name}"))


def _run(request: _Request) -> _Run:
    """Run a service over a log, and return its effects."""
    effects: list[_Effect] = []

    def on_effect(effect: EffectRecord) -> None:
        effects.append(
            _Effect(
                effect.log_position,
                effect.effect.name.lower(),
                effect.id,
                effect.value,
                effect.payload or b"",
                *line_of_call(__file__),
            )
        )

    service = request.service()
    source = OfflineSource.of_member(
        SystemFiles(), f"{request.directory}/cluster", f"{request.directory}/archive"
    )
    with OfflineHost(
        checked(service) if isinstance(service, ClusteredService) else service,
        source,
        service_id=request.service_id,
        member_id=request.member_id,
        on_effect=on_effect,
        on_failure=lambda _: None,  # exceptions were already judged
    ) as host:
        host.run(request.until)
        return _Run(tuple(effects), tuple(state_of(host.take_snapshot())))


def serve() -> None:
    """Handle requests until the input ends."""
    logging.disable(logging.CRITICAL)
    requests, answers = sys.stdin.buffer, os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # the output of a service is not an answer
    with contextlib.suppress(EOFError):
        sys.path[:] = pickle.load(requests)  # noqa: S301 - of the process that started this one
        while True:
            packed = pickle.load(requests)  # noqa: S301 - likewise
            answers.write(_answer(packed))
            answers.flush()


def _answer(packed: bytes) -> bytes:
    try:
        request = pickle.loads(packed)  # noqa: S301 - of the process that started this one
    except (ImportError, AttributeError):
        return pickle.dumps(None)  # a name cannot be imported here
    try:
        return pickle.dumps(_run(request))
    except Exception as error:  # noqa: BLE001 - passed on
        return pickle.dumps(RuntimeError(f"{type(error).__name__}: {error}"))
