"""Which warnings the commands do not print; imported before all else."""

import warnings

# A free-threaded Python prints it when it loads a module that does not declare itself free of the
# GIL. A command's standard error has the command's own lines only.
warnings.filterwarnings("ignore", "The global interpreter lock", RuntimeWarning)
