"""The common part of recorder and replayer: sessions without the GIL, and their hand-over."""
