"""The operating system: the seams, addresses, processors, processes, signals, locks."""
