"""The figures of the jobs `latency` and `sessions`: entries, waits, terms and sessions."""
