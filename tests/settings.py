"""The settings of every driver and archive in tests, ours and Java's.

A machine that pauses for seconds must not lose a peer. Timeouts that no test waits for are longer
than such a pause; a test of a timeout sets its own, by keyword or by program argument.
"""

from collections.abc import Mapping

from aeron_cluster.config import environment_name

PROPERTIES: Mapping[str, str] = {
    "aeron.publication.connection.timeout": "30s",
    "aeron.archive.connect.timeout": "30s",
}
ENVIRONMENT = {environment_name(name): value for name, value in PROPERTIES.items()}
JVM_OPTIONS = tuple(f"-D{name}={value}" for name, value in PROPERTIES.items())
