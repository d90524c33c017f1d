"""What the operating system gives: the seams, addresses, processors, processes, signals, locks."""
