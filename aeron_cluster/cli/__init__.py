"""The aeron-cluster command: argument parsing and printing, nothing else."""
