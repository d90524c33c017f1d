"""Frame and log layout, term appenders, image polling: the arithmetic everyone shares."""
