"""The options of a media driver, each from a keyword, a property or the environment.

``io.aeron.driver.MediaDriver.Context``, ``io.aeron.driver.Configuration``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, Self, Unpack

from aeron_cluster.codecs.resolution_frames import MAX_NAME_LENGTH, is_valid_name
from aeron_cluster.config import (
    DRIVER_OPTIONS,
    Configuration,
    named_object,
    own_environment,
    resolve,
)
from aeron_cluster.driver.option_names import (
    NAMES,
    UNAVAILABLE,
    canonical_name,
    make_idle_strategy,
)
from aeron_cluster.errors import ConfigurationError
from aeron_cluster.memory.agents.user_callback import UserComponent
from aeron_cluster.memory.system.seams import Seams

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from aeron_cluster.driver.options import DriverOptions
    from aeron_cluster.memory.agents.idle_strategy import IdleStrategy

__all__ = ["DriverContext"]

_RING_TRAILER_LENGTH: Final = 768
_BROADCAST_TRAILER_LENGTH: Final = 128
_MAX_CNC_LENGTH: Final = 2**31 - 1
_TAG_LENGTH: Final = 8
_UNREAD_VARIABLE: Final = "AERON_NAME_RESOLVER_CSV_LOOKUP_TABLE_ARGS"


_IDLE_ROLES: Final = ("conductor", "sender", "receiver", "sharednetwork", "shared")
_OPTIONS: Final = {option.keyword: option for option in DRIVER_OPTIONS}


def _is_user_validator(keyword: str, value: str) -> bool:
    return keyword == "driver_termination_validator" and ":" in value


def _checked_names(found: Configuration) -> dict[str, Any]:
    """Return the meanings of names of strategies; reject unknown names."""
    for keyword, reason in UNAVAILABLE.items():
        option = _OPTIONS[keyword]
        if found[keyword] != option.default:
            raise ConfigurationError(option.name, f"no value, since {reason}", found[keyword])
    values: dict[str, Any] = {
        keyword: canonical_name(_OPTIONS[keyword].name, keyword, found[keyword])
        for keyword in NAMES
        if found[keyword] is not None and not _is_user_validator(keyword, found[keyword])
    }
    values |= _deprecated_tags(found)
    strategy = values.get("multicast_flow_control_strategy")
    if strategy is not None and not found.is_given("multicast_flow_control_supplier"):
        values["multicast_flow_control_supplier"] = strategy
    return values


def _deprecated_tags(found: Configuration) -> dict[str, int]:
    """Return the group tags that are only given by the names from before they were group tags."""
    tags: dict[str, int] = {}
    for keyword, deprecated in (
        ("flow_control_group_tag", "preferred_multicast_flow_control_asf"),
        ("receiver_group_tag", "flow_control_sm_application_specific_feedback"),
    ):
        text = found[deprecated]
        if text is None:
            continue
        try:
            feedback = bytes.fromhex(text)
        except ValueError:
            feedback = b""
        if len(feedback) != _TAG_LENGTH:
            raise ConfigurationError(
                _OPTIONS[deprecated].name,
                "8 bytes in hexadecimal",
                text,
                upstream=f"applicationSpecificFeedback length must be equal to {_TAG_LENGTH} bytes",
            )
        if not found.is_given(keyword):
            tags[keyword] = int.from_bytes(feedback, "little", signed=True)
    return tags


def _java_name(keyword: str) -> str:
    first, *others = keyword.split("_")
    return first + "".join(each.capitalize() for each in others)


def _check_variables(environment: Mapping[str, str]) -> None:
    if text := environment.get(_UNREAD_VARIABLE):
        raise ConfigurationError(
            _UNREAD_VARIABLE,
            "it unset, since upstream reads it nowhere",
            text,
            "did you mean AERON_NAME_RESOLVER_INIT_ARGS?",
        )


class DriverContext(Configuration):
    """A driver's configuration: the options of ``DRIVER_OPTIONS`` that fit together.

    Parameters
    ----------
    properties : Mapping of str to str, optional
        Properties by Aeron's names, for options without a keyword.
    environment : Mapping of str to str, optional
        The environment; that of the process by default.
    seams : Seams, optional
        Time, randomness, network and files; by default the system's.
    termination_hook : Callable[[], object], optional
        Called, on the conductor's thread, when the driver cannot continue, or a client requests
        termination and ``driver_termination_validator="allow"``.
    termination_validator : Callable[[str, bytes], object], optional
        Called, on the conductor's thread, with the driver's directory and the token of a client's
        request for termination, which is allowed if the result is true; instead of the name
        ``driver_termination_validator``.
    **keywords
        The options by their keywords; lengths in bytes, ``_ns`` in nanoseconds.

    Raises
    ------
    ConfigurationError
        An option is invalid, alone or with another; the error names it.
    """

    def __init__(
        self, *, properties: Mapping[str, str] | None = None, **keywords: Unpack[DriverOptions]
    ) -> None:
        environment = keywords.pop("environment", None)
        seams, hook = keywords.pop("seams", None), keywords.pop("termination_hook", None)
        self.seams = Seams() if seams is None else seams
        self.termination_hook = hook
        validator = keywords.pop("termination_validator", None)
        found = resolve(DRIVER_OPTIONS, keywords, properties, environment)
        _check_variables(own_environment() if environment is None else environment)
        values = dict(found)
        if values["untethered_linger_timeout_ns"] is None:
            values["untethered_linger_timeout_ns"] = values["untethered_window_limit_timeout_ns"]
        super().__init__(
            values | _checked_names(found), {keyword: found.origin(keyword) for keyword in found}
        )
        self.termination_validator = self._termination_validator(validator)
        for role in _IDLE_ROLES:
            self.idle_strategy(role)
        self._check_buffers()
        self._check_sockets()
        self._check_timeouts()
        self._check_resolver()

    def idle_strategy(self, role: str) -> IdleStrategy:
        """Return a new idle strategy for a thread, from its options.

        Parameters
        ----------
        role : str
            ``conductor``, ``sender``, ``receiver``, ``sharednetwork`` or ``shared``.
        """
        keyword = f"{role}_idle_strategy"
        return make_idle_strategy(
            f"aeron.{role}.idle.strategy", self[keyword], self[f"{keyword}_init_args"]
        )

    def _termination_validator(
        self, given: Callable[[str, bytes], object] | None
    ) -> Callable[[str, bytes], object]:
        name = self.driver_termination_validator
        option = _OPTIONS["driver_termination_validator"].name
        if given is None and ":" in name:
            given = named_object(option, name, "allow, deny, or module:function")
        if given is None:
            return lambda _directory, _token: name == "allow"
        if not callable(given):
            raise ConfigurationError(option, "a function of directory and token", given)
        return given

    def allows_termination(self, directory: str, token: bytes) -> bool:
        """Return whether a client may terminate the driver.

        Parameters
        ----------
        directory : str
            The driver's directory.
        token : bytes
            The token of the request.

        Raises
        ------
        UserComponentError
            The user's validator raised.
        """
        component = UserComponent("termination validator", self.termination_validator)
        return bool(component.call(self.termination_validator, "a bool", directory, token))

    def description(self) -> str:
        """Return every option in a line, with its value and the source of the value."""
        lines = [f"{type(self).__name__}"]
        for option in DRIVER_OPTIONS:
            value, origin = self[option.keyword], self.origin(option.keyword)
            lines.append(f"    {option.name}={'' if value is None else value} ({origin})")
        return "\n".join(lines)

    @classmethod
    def of(
        cls, *, properties: Mapping[str, str] | None = None, **options: Unpack[DriverOptions]
    ) -> Self:
        """Create a context from keyword arguments, properties, the environment and defaults.

        Raises
        ------
        ConfigurationError
            As for the constructor.
        """
        return cls(properties=properties, **options)

    def _check_buffers(self) -> None:
        for keyword, trailer in (
            ("conductor_buffer_length", _RING_TRAILER_LENGTH),
            ("clients_buffer_length", _BROADCAST_TRAILER_LENGTH),
        ):
            capacity = self[keyword] - trailer
            if capacity & (capacity - 1):
                raise ConfigurationError(
                    keyword,
                    f"a power of two, and {trailer}",
                    self[keyword],
                    f"nearest: {(1 << capacity.bit_length() - 1) + trailer}",
                )
        lengths = ("conductor_buffer_length", "clients_buffer_length", "error_buffer_length")
        total = sum(self[keyword] for keyword in lengths) + 5 * self.counters_buffer_length
        if total > _MAX_CNC_LENGTH - self.file_page_size:
            raise ConfigurationError(
                "counters_buffer_length",
                f"a CnC file of at most {_MAX_CNC_LENGTH} bytes",
                self.counters_buffer_length,
            )

    def _check_sockets(self) -> None:
        mtu_length, window = self.mtu_length, self.rcv_initial_window_length
        low = self.publication_reserved_session_id_low
        high = self.publication_reserved_session_id_high
        if 0 < self.socket_so_sndbuf < mtu_length:
            raise self._conflict(
                "socket_so_sndbuf",
                f"at least mtu_length {mtu_length}",
                f"mtuLength={mtu_length} > SO_SNDBUF={self.socket_so_sndbuf}, increase"
                " aeron.socket.so_sndbuf to match MTU",
            )
        if window < mtu_length:
            raise self._conflict(
                "rcv_initial_window_length",
                f"at least mtu_length {mtu_length}",
                f"mtuLength={mtu_length} > initialWindowLength={window}",
            )
        if 0 < self.socket_so_rcvbuf < window:
            raise self._conflict(
                "rcv_initial_window_length",
                f"at most socket_so_rcvbuf {self.socket_so_rcvbuf}",
                f"initialWindowLength={window} > SO_RCVBUF={self.socket_so_rcvbuf}, increase"
                " aeron.socket.so_rcvbuf limits to match initialWindowLength",
            )
        if high < low:
            raise self._conflict(
                "publication_reserved_session_id_high",
                f"at least publication_reserved_session_id_low {low}",
                f"low session id value {low} must be <= high value {high}",
            )

    def _conflict(self, keyword: str, expected: str, upstream: str) -> ConfigurationError:
        """Return the error for an option that does not fit another one, named as it was given."""
        option = _OPTIONS[keyword]
        names = {"properties": option.name, "environment": option.environment}
        name = names.get(self.origin(keyword), keyword)
        return ConfigurationError(name, expected, self[keyword], upstream=upstream)

    def _check_resolver(self) -> None:
        """Check the options for exchanging names; without an interface names are not exchanged."""
        name, interface = self.driver_resolver_name, self.driver_resolver_interface
        if interface is None:
            if self.name_resolver_supplier == "driver":
                raise ConfigurationError(
                    "aeron.driver.resolver.interface",
                    "host:port, since aeron.name.resolver.supplier is driver",
                    None,
                )
            if self.driver_resolver_bootstrap_neighbor is not None:
                raise ConfigurationError(
                    "aeron.driver.resolver.bootstrap.neighbor",
                    "no value without aeron.driver.resolver.interface",
                    self.driver_resolver_bootstrap_neighbor,
                )
        elif not name:
            raise ConfigurationError(
                "aeron.driver.resolver.name",
                "a name, since aeron.driver.resolver.interface is set",
                name,
                upstream="`resolverName` is required when `resolverInterface` is set",
            )
        if name and not is_valid_name(name):
            raise ConfigurationError(
                "aeron.driver.resolver.name",
                f"printable ASCII, up to {MAX_NAME_LENGTH} characters",
                name,
            )

    def _check_timeouts(self) -> None:
        # A state that is checked once per interval cannot be shorter than the interval.
        for longer, shorter in (
            ("publication_unblock_timeout_ns", "client_liveness_timeout_ns"),
            ("client_liveness_timeout_ns", "timer_interval_ns"),
            ("untethered_window_limit_timeout_ns", "timer_interval_ns"),
            ("untethered_linger_timeout_ns", "timer_interval_ns"),
            ("untethered_resting_timeout_ns", "timer_interval_ns"),
        ):
            if self[longer] <= self[shorter]:
                raise self._conflict(
                    longer,
                    f"more than {shorter} {self[shorter]}",
                    f"{_java_name(longer)}={self[longer]} <= {_java_name(shorter)}={self[shorter]}",
                )
