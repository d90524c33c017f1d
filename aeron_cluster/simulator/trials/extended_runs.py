"""Runs of members with extensions of their consensus modules, in place of services."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

from aeron_cluster.memory.system.seams import SeededRandom
from aeron_cluster.simulator.checks.ballots import (
    LeadersAreElected,
    LeadersHaveWhatIsCommitted,
    VotesAreFollowed,
)
from aeron_cluster.simulator.checks.complete_snapshots import SnapshotsAreRightWhenComplete
from aeron_cluster.simulator.checks.disk_copies import DiskCopies
from aeron_cluster.simulator.checks.extensions import ExtensionsFollowTheModel
from aeron_cluster.simulator.checks.invariants import (
    CommitHasAMajority,
    LoadsDoNotRaise,
    LogsAreEqual,
    OneLeaderATerm,
    SnapshotsHaveTheirLog,
)
from aeron_cluster.simulator.checks.loaded_states import LoadedStatesAreThoseOfTheModel
from aeron_cluster.simulator.checks.model_checks import MembersFollowTheModel
from aeron_cluster.simulator.checks.promises import (
    LogTermsNeverFall,
    NothingIsSeenBeyondCommit,
    SentPositionsArePersisted,
    SentPositionsAreSynced,
    VotesArePersisted,
)
from aeron_cluster.simulator.checks.recording_times import RecordingsHaveTheirTimes
from aeron_cluster.simulator.checks.replicas import Replicas
from aeron_cluster.simulator.checks.reported_terms import ReportedTermsAreRecorded
from aeron_cluster.simulator.checks.request_ids import RequestIdsAreUsedOnce
from aeron_cluster.simulator.clients.extension_client import ExtensionLoad
from aeron_cluster.simulator.clients.reference import ReferenceService
from aeron_cluster.simulator.faults.fault_plan import FAMILIES
from aeron_cluster.simulator.members.extension_calls import EXTENSION_SCHEMA, ExtensionJournal
from aeron_cluster.simulator.trials.settings import (
    DRAWS,
    WITHOUT_LIMITS,
    WITHOUT_SUPERSEDED,
    light_load,
)

if TYPE_CHECKING:
    from aeron_cluster.memory.system.seams import Random
    from aeron_cluster.simulator.cluster import Checker
    from aeron_cluster.simulator.trials.settings import Settings

__all__ = ["extended", "extension_checkers", "make_extension_journal", "make_extension_load"]

_SALT: Final = 0xE87E4D
_READ_SALT: Final = 0x1A7E
_START_SALT: Final = 0x57A47
_ONE_IN: Final = 8
_RAISES_ONE_IN: Final = 20
_FAILS_STARTS_ONE_IN: Final = 3
_READ_INTERVAL_NS: Final = 5_000_000_000  # longer than a leader without a majority leads
_SPEEDUP: Final = 5
_LONGEST_STEP_NS: Final = 4_000_000
_INTERVAL_NS: Final = 100_000_000
# Those of services, of backups and of answers do not apply.
_FAMILIES: Final = (*FAMILIES, "overtaken", "leave", "struck", "lost")


def extended(seed: int, settings: Settings) -> Settings:
    """Return the settings of a run with extensions, in one of eight; the given ones in the others.

    Parameters
    ----------
    seed : int
    settings : Settings
        Only those of the built-in service and load, with drawn numbers of services, are replaced.
    """
    is_built_in = settings.services == (ReferenceService,) and settings.make_load in (
        None,
        light_load,
    )
    if (
        settings.draws <= WITHOUT_LIMITS
        or not (is_built_in and settings.is_joined and not settings.service_count)
        or settings.is_judged
        or SeededRandom(seed ^ _SALT).below(_ONE_IN)
    ):
        return settings
    families = _FAMILIES if settings.families is None else settings.families
    if settings.speedup == 1:
        # A module with an extension works in every pass: in long steps, and with short timeouts.
        settings = replace(
            settings,
            speedup=_SPEEDUP,
            duration_ns=settings.duration_ns // _SPEEDUP,
            longest_step_ns=_LONGEST_STEP_NS,
        )
    return replace(
        settings,
        services=(),
        families=tuple(each for each in families if each in _FAMILIES),
        has_survivors=False,
        damages=(),
    )


def make_extension_journal(seed: int, draws: int = DRAWS) -> ExtensionJournal:
    """Return where extensions record.

    Those of every second run raise now and then. Independently of that leaders' of every second run
    read their log late, and those of every second run fail in some of their starts.

    Parameters
    ----------
    seed : int
        The seed of the run.
    draws : int
        How it is drawn.
    """
    raises = SeededRandom(seed ^ ~_SALT).below(2)
    is_late = SeededRandom(seed ^ _READ_SALT).below(2)
    fails = draws > WITHOUT_SUPERSEDED and SeededRandom(seed ^ _START_SALT).below(2)
    return ExtensionJournal(
        _RAISES_ONE_IN if raises else 0,
        _READ_INTERVAL_NS if is_late else 0,
        _FAILS_STARTS_ONE_IN if fails else 0,
    )


def make_extension_load(number: int, random: Random) -> ExtensionLoad:
    """Return a load of about ten short messages per second."""
    return ExtensionLoad(number, random, EXTENSION_SCHEMA, _INTERVAL_NS)


def extension_checkers() -> list[Checker]:
    """Return the checks of a run without services, in the order of their calls."""
    leaders, replicas, disks = OneLeaderATerm(), Replicas(), DiskCopies()
    followed = MembersFollowTheModel(disks)
    return [
        CommitHasAMajority(
            leaders,
            [
                VotesArePersisted(),
                LeadersAreElected(),
                LeadersHaveWhatIsCommitted(replicas),
                VotesAreFollowed(),
                SentPositionsArePersisted(),
                SentPositionsAreSynced(),
                LogTermsNeverFall(),
                ReportedTermsAreRecorded(),
                NothingIsSeenBeyondCommit(),
                RequestIdsAreUsedOnce(),
            ],
            replicas,
        ),
        leaders,
        LogsAreEqual(disks),
        SnapshotsHaveTheirLog(disks),
        LoadsDoNotRaise(),
        followed,
        SnapshotsAreRightWhenComplete(followed, disks),
        LoadedStatesAreThoseOfTheModel(followed, disks),
        ExtensionsFollowTheModel(followed, disks),
        RecordingsHaveTheirTimes(disks),
    ]
