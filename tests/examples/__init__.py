"""The programs of ``examples/``, run by the lines that their docstrings state."""
