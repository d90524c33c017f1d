"""Begins to measure in each Python process of ``make coverage``."""

import contextlib

with contextlib.suppress(ImportError):
    import coverage

    coverage.process_startup()
