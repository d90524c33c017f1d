"""Counters and latencies of drivers, archives and members, for Prometheus and for probes."""
