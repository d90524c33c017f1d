"""The parts of ``make sanitize``: what runs, and under which sanitizers."""

from dataclasses import dataclass
from typing import Final

__all__ = ["PARTS", "Part"]


@dataclass(frozen=True)
class Part:
    """What one command runs.

    Attributes
    ----------
    name : str
    variant : str
        The build: ``asan`` (with UBSan) or ``tsan``.
    tests : tuple of str
        Paths for pytest; empty for seeds of whole simulated clusters.
    """

    name: str
    variant: str
    tests: tuple[str, ...] = ()

    def command(self, reports: str, *, seeds: int, first: int, jobs: int) -> list[str]:
        """Return the command, whose processes write what they find to files of that prefix."""
        make = ["make", "--no-print-directory"]
        how = [f"VARIANT={self.variant}", f"REPORTS={reports}"]
        if not self.tests:
            sim = f"SIM=--first {first} --jobs {jobs} --json"
            return [*make, "seeds", *how, f"SEEDS={seeds}", sim]
        # A sanitizer slows a test several times; failures are not those of the last plain run.
        pytest = f"-o timeout=1600 -p no:cacheprovider --junitxml={reports}.xml"
        return [*make, "test", *how, f"JOBS={jobs}", f"TESTS={pytest} {' '.join(self.tests)}"]


# The shortest first.
PARTS: Final = {
    part.name: part
    for part in (
        Part("fuzz", "asan", ("tests/fuzz",)),
        Part("native", "asan", ("tests/native",)),
        Part("property", "asan", ("tests/property",)),
        Part("unit", "asan", ("tests/unit",)),
        Part("seeds", "asan"),
        Part(
            "threads",
            "tsan",
            (
                "tests/native/test_shared_structures.py",
                "tests/native/test_log_threads.py",
                "tests/native/test_client_without_gil.py",
                "tests/native/test_views_across_threads.py",
                "tests/native/test_agent_runner.py",
                "tests/unit/memory/test_component.py",
                "tests/unit/driver/test_conductor_agent.py",
                "tests/process/test_client_and_driver.py",
                "tests/process/test_node.py",
            ),
        ),
    )
}
