"""Memory and files that processes share: rings, counters, error logs, mark files, the CnC file."""
