"""The event log of driver, archive and cluster: binary records, their text, and their readers."""
