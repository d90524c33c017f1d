"""Frame and log layout, term appenders, image polling, and position arithmetic."""
