"""The HTML pages of the jobs `latency` and `sessions`: texts, tables and plots."""
