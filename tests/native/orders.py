"""Requests and replies of the order matching service, with the layout of ``order_messages.h``."""

import struct
from typing import NamedTuple

BUY, SELL = 1, 2
NEW_ORDER, CANCEL, REPLACE, TOP_OF_BOOK, STATE = 1, 2, 3, 4, 5
ACK, REJECT, FILL = 101, 102, 103
TAKER, MAKER = 1, 2
MALFORMED, BAD_PRICE, BAD_QUANTITY, UNKNOWN_ORDER, NOT_OWNER, BOOK_FULL = 1, 2, 3, 4, 5, 6
MAX_PRICE = (1 << 20) - 1

_MESSAGE = struct.Struct("<HBBIQQq")
_FILL = struct.Struct("<HBBIQQqQII")
_TOP = struct.Struct("<HBBIQqQqQ")
_STATE = struct.Struct("<HBBIQQQQQ")


class Message(NamedTuple):
    type: int
    side: int
    code: int
    quantity: int
    correlation_id: int
    order_id: int
    price: int


class Fill(NamedTuple):
    type: int
    side: int
    code: int
    quantity: int
    correlation_id: int
    order_id: int
    price: int
    match_id: int
    leaves_quantity: int
    reserved: int


class TopOfBook(NamedTuple):
    type: int
    side: int
    code: int
    quantity: int
    correlation_id: int
    bid_price: int
    bid_quantity: int
    ask_price: int
    ask_quantity: int


class State(NamedTuple):
    type: int
    side: int
    code: int
    quantity: int
    correlation_id: int
    hash: int
    order_count: int
    last_order_id: int
    last_match_id: int


def new_order(side, quantity, price, correlation_id=0):
    return _MESSAGE.pack(NEW_ORDER, side, 0, quantity, correlation_id, 0, price)


def cancel(order_id, correlation_id=0):
    return _MESSAGE.pack(CANCEL, 0, 0, 0, correlation_id, order_id, 0)


def replace(order_id, quantity, price, correlation_id=0):
    return _MESSAGE.pack(REPLACE, 0, 0, quantity, correlation_id, order_id, price)


def top_of_book(correlation_id=0):
    return _MESSAGE.pack(TOP_OF_BOOK, 0, 0, 0, correlation_id, 0, 0)


def state(correlation_id=0):
    return _MESSAGE.pack(STATE, 0, 0, 0, correlation_id, 0, 0)


def decode(data):
    kind = int.from_bytes(data[:2], "little")
    if kind == FILL:
        return Fill(*_FILL.unpack(data))
    if kind == TOP_OF_BOOK:
        return TopOfBook(*_TOP.unpack(data))
    if kind == STATE:
        return State(*_STATE.unpack(data))
    return Message(*_MESSAGE.unpack(data))
