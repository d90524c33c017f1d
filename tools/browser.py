"""The browser of this machine, without a window, for pages that are checked or drawn.

``python3 -m tools.browser`` opens a page in it and prints its path; or why it does not run, with
exit code 1.
"""

import shutil
import subprocess
import sys
import tempfile

__all__ = ["BROWSER", "BROWSER_OPTIONS", "problem"]

BROWSER = next(filter(None, map(shutil.which, ("google-chrome", "chromium"))), None)
"""Its path; None if none is installed."""

BROWSER_OPTIONS = (
    *("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"),
    *("--no-first-run", "--disable-background-networking", "--disable-component-update"),
    "--disable-sync",
)

_TIMEOUT_S = 100
_PAGE = "data:text/html,<p>opened"


def problem(browser: str | None) -> str | None:
    """Return why a browser shows no page, or None if it does."""
    if browser is None:
        return "no browser is installed: apt-get install chromium"
    with tempfile.TemporaryDirectory() as folder:
        command = [browser, *BROWSER_OPTIONS, f"--user-data-dir={folder}", "--dump-dom", _PAGE]
        try:
            done = subprocess.run(
                command, check=False, capture_output=True, text=True, timeout=_TIMEOUT_S
            )
        except (OSError, subprocess.TimeoutExpired) as error:
            return f"{browser} does not run here: {error}"
    if "<p>opened" in done.stdout:
        return None
    last = done.stderr.strip().rpartition("\n")[2]
    return f"{browser} does not run here: exit code {done.returncode}, {last}"


def main() -> None:
    """Print the browser's path, or why it does not run."""
    found = problem(BROWSER)
    sys.stdout.write(f"{found or BROWSER}\n")
    sys.exit(found is not None)


if __name__ == "__main__":
    main()
