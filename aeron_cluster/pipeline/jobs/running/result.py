"""The result of a job: figures, tables, and a page.

No counterpart in Aeron.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Final

from aeron_cluster.pipeline.files.urls import local
from aeron_cluster.pipeline.optional_packages import require

__all__ = ["PAGE_NAME", "JobResult"]

PAGE_NAME: Final = "report.html"


@dataclass(frozen=True)
class JobResult:
    """The result of a job.

    Parameters
    ----------
    summary : mapping of str
        The figures: numbers, texts and None.
    tables : mapping of str to pyarrow.Table
    draw_page : callable
        Returns `page`.
    absent : sequence of str
        The names of tables that other runs of the job may have, but not this one.
    """

    summary: Mapping[str, Any]
    tables: Mapping[str, Any]
    draw_page: Callable[[], str]
    absent: Sequence[str] = ()

    @cached_property
    def page(self) -> str:
        """The self-contained HTML page.

        Raises
        ------
        MissingPackageError
            Jinja or matplotlib is not installed.
        """
        return self.draw_page()

    def write(self, directory: str | os.PathLike[str]) -> list[Path]:
        """Write each table as Parquet, and the page, replacing those of an earlier run.

        Files of an earlier run that this run does not have are removed.

        Parameters
        ----------
        directory : str or PathLike
            The directory; created if missing.

        Returns
        -------
        list of Path
            ``report.html``, then the tables sorted by name.

        Raises
        ------
        ConfigurationError
            The directory is a URL.
        MissingPackageError
            PyArrow, Jinja or matplotlib is not installed; nothing is written.
        """
        parquet = require("pyarrow.parquet", "arrow")
        local("directory", directory)  # rejects a URL
        page = self.page
        place = Path(directory)
        place.mkdir(parents=True, exist_ok=True)
        written = [place / PAGE_NAME]
        draft = place / f".{PAGE_NAME}.{os.getpid()}"
        # Paths may contain bytes that are not valid text.
        draft.write_text(page, encoding="utf-8", errors="backslashreplace")
        draft.replace(written[0])
        for name, table in self.tables.items():
            path = place / f"{name}.parquet"
            draft = place / f".{name}.{os.getpid()}"
            parquet.write_table(table, draft)
            draft.replace(path)
            written.append(path)
        for name in self.absent:
            (place / f"{name}.parquet").unlink(missing_ok=True)
        return written
