"""What the jobs `latency` and `sessions` compute of a log: entries, waits, terms and sessions."""
