"""The aeron-cluster command: argument parsing and printing only."""
