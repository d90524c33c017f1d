"""The parts of the job `audit`: comparisons of logs, terms and snapshots, and their findings."""
