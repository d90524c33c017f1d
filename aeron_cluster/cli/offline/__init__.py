"""Commands over recorded logs, without a cluster."""
