"""Programs to run, read and copy: each module's docstring has the line that runs it."""
