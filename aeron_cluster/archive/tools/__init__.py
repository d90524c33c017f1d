"""What an archive's operator does with its directory: look, verify, repair, clean up, migrate."""
