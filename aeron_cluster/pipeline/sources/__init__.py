"""The sources of a read: recordings and their ends, commit positions and plans."""
