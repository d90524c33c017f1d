"""Control sessions with an archive, from connect request to end, on the archive's side."""
