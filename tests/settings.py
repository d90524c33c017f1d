"""What tests set for every driver and archive, ours and Java's: the one place.

A machine that pauses for seconds is no lost peer. Timeouts for which no test waits are longer here
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
