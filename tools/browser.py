"""The browser of this machine, without a window, for pages that are checked or drawn."""

import shutil

__all__ = ["BROWSER", "BROWSER_OPTIONS"]

BROWSER = next(filter(None, map(shutil.which, ("google-chrome", "chromium"))), None)
"""Its path; None if none is installed."""

BROWSER_OPTIONS = (
    *("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"),
    *("--no-first-run", "--disable-background-networking", "--disable-component-update"),
    "--disable-sync",
)
