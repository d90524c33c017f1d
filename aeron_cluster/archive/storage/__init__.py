"""The files of an archive: catalog, segments and checksums, and reading them without an archive."""
