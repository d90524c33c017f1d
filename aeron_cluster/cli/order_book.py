"""Order matching: one instrument, limit orders, price-time priority.

The messages, the state hash and the snapshot are defined in ``benchmarks/native/order_messages.h``;
the C service there answers the same requests with the same bytes and loads the same snapshots.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import OrderedDict
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import islice
from struct import Struct
from typing import TYPE_CHECKING, Final

from aeron_cluster.errors import CorruptError

if TYPE_CHECKING:
    from aeron_cluster.logbuffer.message_view import MessageView

__all__ = ["MAX_PRICE", "BookState", "OrderBook", "SnapshotLoader"]

NEW_ORDER: Final = 1
CANCEL: Final = 2
REPLACE: Final = 3
TOP_OF_BOOK: Final = 4
STATE: Final = 5
ACK: Final = 101
REJECT: Final = 102
FILL: Final = 103
SNAPSHOT_BEGIN: Final = 201
SNAPSHOT_ORDERS: Final = 202
SNAPSHOT_END: Final = 203

BUY: Final = 1
SELL: Final = 2

TAKER: Final = 1
MAKER: Final = 2

MALFORMED: Final = 1
BAD_PRICE: Final = 2
BAD_QUANTITY: Final = 3
UNKNOWN_ORDER: Final = 4
NOT_OWNER: Final = 5
BOOK_FULL: Final = 6

MAX_PRICE: Final = (1 << 20) - 1
"""The highest price, in ticks."""

DEFAULT_MAX_ORDERS: Final = 1 << 20
SNAPSHOT_VERSION: Final = 1

# The first fields: type, side, code, quantity, correlation id. Then:
MESSAGE: Final = Struct("<HBBIQQq")  # order id, price: a request, an ACK, a REJECT
FILL_MESSAGE: Final = Struct("<HBBIQQqQII")  # order id, price, match id, leaves quantity
TOP_MESSAGE: Final = Struct("<HBBIQqQqQ")  # bid price and quantity, ask price and quantity
STATE_MESSAGE: Final = Struct("<HBBIQQQQQ")  # hash, order count, last order id, last match id

_BEGIN: Final = Struct("<HHIQQQ")
_ORDERS: Final = Struct("<HHI")
_RESTING: Final = Struct("<QqQqIB3x")
_END: Final = Struct("<HHIQ")
_ORDERS_A_MESSAGE: Final = (1024 - _ORDERS.size) // _RESTING.size

_HASH_SEED: Final = 14695981039346656037
_HASH_PRIME: Final = 1099511628211
_MASK: Final = (1 << 64) - 1

Reply = Callable[[int, bytes], object]
"""Called with a session id and a reply to that session."""


@dataclass(frozen=True)
class BookState:
    """The state of a book.

    Parameters
    ----------
    hash : int
        The hash of the following fields and of all fields of the resting orders, in order.
    order_count : int
        The number of resting orders.
    last_order_id, last_match_id : int
        The number of accepted orders, and of matches.
    """

    hash: int
    order_count: int
    last_order_id: int
    last_match_id: int


class _Order:
    __slots__ = ("correlation_id", "order_id", "price", "quantity", "session_id", "side")

    def __init__(
        self,
        order_id: int,
        session_id: int,
        correlation_id: int,
        price: int,
        quantity: int,
        side: int,
    ) -> None:
        self.order_id = order_id
        self.session_id = session_id
        self.correlation_id = correlation_id
        self.price = price
        self.quantity = quantity
        self.side = side


class _Level:
    """The orders of one price, the oldest first, and their total quantity."""

    __slots__ = ("orders", "quantity")

    def __init__(self) -> None:
        # Not a dict: finding its first entry slows down as first entries are removed.
        self.orders: OrderedDict[int, _Order] = OrderedDict()
        self.quantity = 0


class _Side:
    """The levels of one side, by a key that is highest for the best price."""

    __slots__ = ("keys", "levels")

    def __init__(self) -> None:
        # A bid's price, or an ask's negated price. Ascending: the best is last.
        self.keys: list[int] = []
        self.levels: dict[int, _Level] = {}

    def add(self, key: int, order: _Order) -> None:
        level = self.levels.get(key)
        if level is None:
            level = self.levels[key] = _Level()
            self.keys.insert(bisect_left(self.keys, key), key)
        level.orders[order.order_id] = order
        level.quantity += order.quantity

    def remove(self, key: int, order: _Order) -> None:
        level = self.levels[key]
        del level.orders[order.order_id]
        level.quantity -= order.quantity
        if not level.orders:
            del self.levels[key]
            del self.keys[bisect_left(self.keys, key)]

    def __iter__(self) -> Iterator[_Order]:
        for key in reversed(self.keys):
            yield from self.levels[key].orders.values()

    def best(self) -> tuple[int, int]:
        if not self.keys:
            return 0, 0
        key = self.keys[-1]
        return abs(key), self.levels[key].quantity


class OrderBook:
    """A limit order book, with counters of orders and matches.

    Parameters
    ----------
    max_orders : int
        The highest number of resting orders.
    last_order_id, last_match_id : int
        The initial counters, when loading a snapshot.

    Notes
    -----
    The same requests in the same order produce the same state and the same replies, on every
    machine and in every run.
    """

    def __init__(
        self,
        max_orders: int = DEFAULT_MAX_ORDERS,
        *,
        last_order_id: int = 0,
        last_match_id: int = 0,
    ) -> None:
        self._max_orders = max_orders
        self._bids = _Side()
        self._asks = _Side()
        self._orders: dict[int, _Order] = {}
        self._last_order_id = last_order_id
        self._last_match_id = last_match_id

    # ---- requests ----

    def apply(self, session_id: int, request: MessageView | bytes, reply: Reply) -> None:
        """Handle a request.

        Parameters
        ----------
        session_id : int
            The session that sent it.
        request : MessageView or bytes
        reply : callable
            Called with each reply and its session id, in order.
        """
        if len(request) != MESSAGE.size:
            reply(session_id, MESSAGE.pack(REJECT, 0, MALFORMED, 0, 0, 0, 0))
            return
        kind, side, _, quantity, correlation_id, order_id, price = MESSAGE.unpack(request)
        if kind == NEW_ORDER and side in {BUY, SELL}:
            code = self._check(quantity, price)
            if not code and len(self._orders) >= self._max_orders:
                code = BOOK_FULL
            if not code:
                self._last_order_id += 1
                entered = _Order(
                    self._last_order_id, session_id, correlation_id, price, quantity, side
                )
                self._acknowledge(session_id, kind, entered, quantity, correlation_id, reply)
                self._match(entered, reply)
        elif kind == CANCEL:
            order, code = self._find(session_id, order_id)
            if order is not None:
                self._remove(order)
                self._acknowledge(session_id, kind, order, order.quantity, correlation_id, reply)
        elif kind == REPLACE:
            order, code = None, self._check(quantity, price)
            if not code:
                order, code = self._find(session_id, order_id)
            if order is not None:
                self._replace(order, quantity, price, correlation_id, reply)
        elif kind == TOP_OF_BOOK:
            top = (*self._bids.best(), *self._asks.best())
            reply(session_id, TOP_MESSAGE.pack(TOP_OF_BOOK, 0, 0, 0, correlation_id, *top))
            return
        elif kind == STATE:
            state = self.state
            reply(
                session_id,
                STATE_MESSAGE.pack(
                    STATE,
                    0,
                    0,
                    0,
                    correlation_id,
                    state.hash,
                    state.order_count,
                    state.last_order_id,
                    state.last_match_id,
                ),
            )
            return
        else:
            reply(session_id, MESSAGE.pack(REJECT, 0, MALFORMED, 0, 0, 0, 0))
            return
        if code:
            fields = (side, code, quantity, correlation_id, order_id, price)
            reply(session_id, MESSAGE.pack(REJECT, *fields))

    def _check(self, quantity: int, price: int) -> int:
        if not 1 <= price <= MAX_PRICE:
            return BAD_PRICE
        return 0 if quantity else BAD_QUANTITY

    def _find(self, session_id: int, order_id: int) -> tuple[_Order | None, int]:
        order = self._orders.get(order_id)
        if order is None:
            return None, UNKNOWN_ORDER
        return (order, 0) if order.session_id == session_id else (None, NOT_OWNER)

    def _acknowledge(
        self,
        session_id: int,
        kind: int,
        order: _Order,
        quantity: int,
        correlation_id: int,
        reply: Reply,
    ) -> None:
        fields = (order.side, kind, quantity, correlation_id, order.order_id, order.price)
        reply(session_id, MESSAGE.pack(ACK, *fields))

    def _replace(
        self, order: _Order, quantity: int, price: int, correlation_id: int, reply: Reply
    ) -> None:
        keeps_place = price == order.price and quantity <= order.quantity
        if keeps_place:
            side, key = self._place(order)
            side.levels[key].quantity -= order.quantity - quantity
        else:
            self._remove(order)
        order.quantity, order.price, order.correlation_id = quantity, price, correlation_id
        self._acknowledge(order.session_id, REPLACE, order, quantity, correlation_id, reply)
        if not keeps_place:
            self._match(order, reply)

    # ---- matching ----

    def _match(self, order: _Order, reply: Reply) -> None:
        """Match an incoming order; the remaining quantity rests in the book."""
        is_buy = order.side == BUY
        other = self._asks if is_buy else self._bids
        own_key = order.price if is_buy else -order.price
        while order.quantity and other.keys and other.keys[-1] + own_key >= 0:
            key = other.keys[-1]
            level = other.levels[key]
            resting = next(iter(level.orders.values()))
            quantity = min(order.quantity, resting.quantity)
            order.quantity -= quantity
            resting.quantity -= quantity
            level.quantity -= quantity
            if not resting.quantity:
                other.remove(key, resting)
                del self._orders[resting.order_id]
            self._last_match_id += 1
            for one, code in ((order, TAKER), (resting, MAKER)):
                fill = FILL_MESSAGE.pack(
                    FILL,
                    one.side,
                    code,
                    quantity,
                    one.correlation_id,
                    one.order_id,
                    resting.price,
                    self._last_match_id,
                    one.quantity,
                    0,
                )
                reply(one.session_id, fill)
        if order.quantity:
            self._rest(order)

    def load(self, *fields: int) -> None:
        """Add a resting order from a snapshot.

        Parameters
        ----------
        *fields : int
            Order id, session id, correlation id, price, quantity and side.
        """
        self._rest(_Order(*fields))

    def _place(self, order: _Order) -> tuple[_Side, int]:
        return (self._bids, order.price) if order.side == BUY else (self._asks, -order.price)

    def _rest(self, order: _Order) -> None:
        side, key = self._place(order)
        side.add(key, order)
        self._orders[order.order_id] = order

    def _remove(self, order: _Order) -> None:
        side, key = self._place(order)
        side.remove(key, order)
        del self._orders[order.order_id]

    # ---- state ----

    @property
    def state(self) -> BookState:
        """The state of the book; the time is proportional to the number of resting orders."""
        found = _step(_step(_HASH_SEED, self._last_order_id), self._last_match_id)
        for order in self:
            found = _step(found, order.order_id)
            found = _step(found, order.session_id & _MASK)
            found = _step(found, order.correlation_id)
            found = _step(found, order.price)
            found = _step(found, order.quantity)
            found = _step(found, order.side)
        return BookState(found, len(self._orders), self._last_order_id, self._last_match_id)

    @property
    def last_order_id(self) -> int:
        """The id of the last accepted order; 0 before the first."""
        return self._last_order_id

    def __iter__(self) -> Iterator[_Order]:
        yield from self._bids
        yield from self._asks

    def snapshot(self) -> Iterator[bytes]:
        """Yield the messages of a snapshot."""
        state = self.state
        yield _BEGIN.pack(
            SNAPSHOT_BEGIN,
            SNAPSHOT_VERSION,
            0,
            state.order_count,
            state.last_order_id,
            state.last_match_id,
        )
        orders = iter(self)
        while batch := list(islice(orders, _ORDERS_A_MESSAGE)):
            yield _ORDERS.pack(SNAPSHOT_ORDERS, 0, len(batch)) + b"".join(
                _RESTING.pack(
                    each.order_id,
                    each.session_id,
                    each.correlation_id,
                    each.price,
                    each.quantity,
                    each.side,
                )
                for each in batch
            )
        yield _END.pack(SNAPSHOT_END, 0, 0, state.hash)


def _step(found: int, word: int) -> int:
    return ((found ^ word) * _HASH_PRIME) & _MASK


class SnapshotLoader:
    """Loads a book from a snapshot's messages.

    Parameters
    ----------
    max_orders : int
        The highest number of resting orders of the loaded book.

    Attributes
    ----------
    book : OrderBook
        The book, complete once `is_done`.
    is_done : bool
        Whether the snapshot's last message was loaded.
    """

    def __init__(self, max_orders: int = DEFAULT_MAX_ORDERS) -> None:
        self.book = OrderBook(max_orders)
        self.is_done = False
        self._max_orders = max_orders
        self._begun = False
        self._order_count = 0
        self._offset = 0

    def on_message(self, message: MessageView | bytes) -> None:
        """Load the next message.

        Raises
        ------
        CorruptError
            The message is not the next one of a book's snapshot, or the hash of the loaded book
            differs from the hash in the snapshot.
        """
        data = bytes(message)
        kind = int.from_bytes(data[:2], "little")
        if kind == SNAPSHOT_BEGIN and not self._begun and len(data) == _BEGIN.size:
            _, version, _, self._order_count, last_order_id, last_match_id = _BEGIN.unpack(data)
            self._expect("version", SNAPSHOT_VERSION, version)
            self.book = OrderBook(
                self._max_orders, last_order_id=last_order_id, last_match_id=last_match_id
            )
            self._begun = True
        elif kind == SNAPSHOT_ORDERS and self._begun and not self.is_done:
            count = (len(data) - _ORDERS.size) // _RESTING.size
            self._expect("orders", _ORDERS.unpack_from(data)[2], count)
            for fields in _RESTING.iter_unpack(data[_ORDERS.size :]):
                self.book.load(*fields)
        elif kind == SNAPSHOT_END and self._begun and not self.is_done and len(data) == _END.size:
            state = self.book.state
            self._expect("orders", self._order_count, state.order_count)
            self._expect("hash", f"{_END.unpack(data)[3]:016x}", f"{state.hash:016x}")
            self.is_done = True
        else:
            self._expect("message", "the next of a book", f"type {kind} of {len(data)} bytes")
        self._offset += len(data)

    def _expect(self, what: str, expected: object, found: object) -> None:
        if expected != found:
            raise CorruptError("order book snapshot", self._offset, what, expected, found)
