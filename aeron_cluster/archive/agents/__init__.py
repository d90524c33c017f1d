"""What recorder and replayer have in common: sessions that run without the GIL, and hand-over."""
