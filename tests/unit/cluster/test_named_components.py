"""Properties that name a component of the user as ``module:name``, in place of a Java class."""

import pytest

from aeron_cluster.archive.context import ArchiveContext
from aeron_cluster.cluster.context.timer_service import UserTimers
from aeron_cluster.cluster.service.clustered_service import ClusteredService
from aeron_cluster.cluster.service.container_context import ContainerContext
from aeron_cluster.driver.context import DriverContext
from aeron_cluster.errors import ConfigurationError, UserComponentError
from tests.unit.archive.test_context import WHOLE
from tests.unit.cluster import named_components
from tests.unit.cluster.named_components import HERE
from tests.unit.cluster.test_module_context import context

AUTHENTICATOR = f"{HERE}:make_authenticator"
AUTHORISATION = f"{HERE}:make_authorisation_service"


def archive_context(**properties):
    return ArchiveContext.of(properties=properties, **WHOLE)


def test_a_module_has_the_named_components():
    made = context(
        {
            "aeron.cluster.authenticator.supplier": AUTHENTICATOR,
            "aeron.cluster.authorisation.service.supplier": AUTHORISATION,
            "aeron.cluster.clock": f"{HERE}:Clock",
            "aeron.cluster.timer.service.supplier": f"{HERE}:make_timers",
            "aeron.cluster.consensus.module.extension": f"{HERE}:Extension",
            "aeron.cluster.service.count": "0",
        }
    )
    assert made.authenticator_supplier is named_components.make_authenticator
    assert made.mark_file_content().authenticator == f"{HERE}.make_authenticator"
    assert made.authorisation_service(101, 1, None, b"")
    assert made.cluster_time() == 12
    assert isinstance(made.make_timers(), UserTimers)
    assert isinstance(made.extension, named_components.Extension)


def test_an_archive_has_the_named_components():
    made = archive_context(
        **{
            "aeron.archive.authenticator.supplier": AUTHENTICATOR,
            "aeron.archive.authorisation.service.supplier": AUTHORISATION,
        }
    )
    assert made.authenticator_supplier is named_components.make_authenticator
    assert made.authorisation_service(101, 1, None, b"")


def test_a_container_reports_errors_to_the_named_handler():
    made = ContainerContext.of(
        service=ClusteredService(),
        properties={"aeron.cluster.service.delegating.error.handler": f"{HERE}:on_error"},
    )
    assert made.error_handler is named_components.on_error


def test_a_keyword_precedes_a_name():
    handler = [].append
    made = ContainerContext.of(
        service=ClusteredService(),
        error_handler=handler,
        service_delegating_error_handler=f"{HERE}:on_error",
    )
    assert made.error_handler == handler


@pytest.mark.parametrize(
    "value",
    ["io.aeron.Unknown", "no.such.module:name", f"{HERE}:no_such_name", f"{HERE}:NOT_CALLABLE"],
)
@pytest.mark.parametrize(
    ("name", "make"),
    [
        ("aeron.cluster.authenticator.supplier", context),
        ("aeron.cluster.authorisation.service.supplier", context),
        ("aeron.cluster.clock", context),
        ("aeron.cluster.timer.service.supplier", context),
        ("aeron.cluster.consensus.module.extension", context),
        ("aeron.archive.authenticator.supplier", lambda found: archive_context(**found)),
        ("aeron.archive.authorisation.service.supplier", lambda found: archive_context(**found)),
        (
            "aeron.cluster.service.delegating.error.handler",
            lambda found: ContainerContext.of(service=ClusteredService(), properties=found),
        ),
        (
            "aeron.driver.termination.validator",
            lambda found: DriverContext(environment={}, properties=found),
        ),
    ],
)
def test_a_wrong_name_ends_the_start(name, make, value):
    if value.endswith("NOT_CALLABLE") and name.endswith("authorisation.service.supplier"):
        value = f"{HERE}:make_nothing"
    with pytest.raises(ConfigurationError) as rejected:
        make({name: value})
    assert rejected.value.name == name


def test_a_named_validator_decides_by_directory_and_token():
    made = DriverContext(environment={}, driver_termination_validator=f"{HERE}:may_terminate")
    assert made.allows_termination("/somewhere/mild", b"secret")
    assert not made.allows_termination("/somewhere/mild", b"other")
    assert not made.allows_termination("/somewhere/else", b"secret")
    with pytest.raises(UserComponentError, match=r"termination validator .*may_terminate"):
        made.allows_termination("/somewhere/mild", b"raise")
